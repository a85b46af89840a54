import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerAppReport;

/**
 * HDFS and YARN in one machine: a NameNode, a DataNode, a ResourceManager, and a NodeManager for each file that is
 * named. Everything else is configured by the *-site.xml on the class path.
 *
 * <p>Arguments: a file to write when all is ready, then the configuration files of the NodeManagers. The file gets the
 * port at which the applications are told as JSON, and nodes are lost: {@code /lose/PORT-OF-THE-NODEMANAGER}. (The ResourceManager's own web pages are shadowed by those of the
 * NodeManagers: Guice's servlet filter is static.)
 */
public final class Cluster {
  private static final FsPermission EVERYBODY = new FsPermission((short) 01777);
  private static final List<Runnable> STOPS = new ArrayList<>();

  public static void main(String[] arguments) {
    Runtime.getRuntime().addShutdownHook(new Thread(Cluster::stop));
    try {
      DefaultMetricsSystem.setMiniClusterMode(true); // several daemons, one registry of metrics
      startHdfs();
      ResourceManager manager = startYarn(List.of(arguments).subList(1, arguments.length));
      Files.writeString(Paths.get(arguments[0] + ".part"), tell(manager) + "\n");
      Files.move(Paths.get(arguments[0] + ".part"), Paths.get(arguments[0]));
    } catch (Throwable problem) {
      problem.printStackTrace();
      Runtime.getRuntime().halt(1); // the daemons' threads would keep the machine alive
    }
  }

  private static void startHdfs() throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    NameNode.format(conf);
    NameNode names = NameNode.createNameNode(new String[0], conf);
    DataNode.createDataNode(new String[0], new HdfsConfiguration());
    while (names.isInSafeMode() || names.getNamesystem().getNumLiveDataNodes() == 0) {
      Thread.sleep(50);
    }
    FileSystem files = FileSystem.get(conf);
    for (String folder : new String[] {"/tmp", "/app-logs"}) {
      files.mkdirs(new Path(folder));
      files.setPermission(new Path(folder), EVERYBODY);
    }
    files.mkdirs(new Path("/user/" + System.getProperty("user.name")));
  }

  private static ResourceManager startYarn(List<String> nodes) throws Exception {
    ResourceManager manager = new ResourceManager();
    manager.init(new YarnConfiguration());
    manager.start();
    for (String file : nodes) {
      YarnConfiguration conf = new YarnConfiguration();
      conf.addResource(new Path("file://" + file));
      NodeManager node = new NodeManager();
      node.init(conf);
      node.start();
      STOPS.add(node::stop); // ends its containers
    }
    while (manager.getResourceScheduler().getNumClusterNodes() < nodes.size()) {
      Thread.sleep(50);
    }
    return manager;
  }

  /** Answers every request with all applications by name; gives the port. */
  private static int tell(ResourceManager manager) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", exchange -> {
      Map<String, Object> all = new LinkedHashMap<>();
      manager.getRMContext().getRMApps().forEach((id, application) -> all.put(id.toString(), facts(manager, application)));
      byte[] answer = new ObjectMapper().writeValueAsBytes(all);
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
      exchange.close();
    });
    server.createContext("/lose/", exchange -> {
      lose(manager, Integer.parseInt(exchange.getRequestURI().getPath().substring("/lose/".length())));
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    server.start();
    return server.getAddress().getPort();
  }

  /** What the ResourceManager does when a node is silent for too long. Its NodeManager ends all containers and comes back. */
  @SuppressWarnings("unchecked")
  private static void lose(ResourceManager manager, int port) {
    for (RMNode node : List.copyOf(manager.getRMContext().getRMNodes().values())) {
      if (node.getNodeID().getPort() == port) {
        RMNodeEvent event = new RMNodeEvent(node.getNodeID(), RMNodeEventType.EXPIRE);
        manager.getRMContext().getDispatcher().getEventHandler().handle(event);
      }
    }
  }

  private static Map<String, Object> facts(ResourceManager manager, RMApp application) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("name", application.getName());
    found.put("user", application.getUser());
    found.put("queue", application.getQueue());
    found.put("tags", List.copyOf(application.getApplicationTags()));
    found.put("priority", application.getApplicationPriority().getPriority());
    found.put("state", application.getState().toString());
    found.put("final", application.getFinalApplicationStatus().toString());
    found.put("diagnostics", application.getDiagnostics().toString());
    Map<String, String> containers = new LinkedHashMap<>();
    SchedulerAppReport report = application.getCurrentAppAttempt() == null ? null
        : manager.getResourceScheduler().getSchedulerAppInfo(application.getCurrentAppAttempt().getAppAttemptId());
    if (report != null) {
      for (RMContainer container : report.getLiveContainers()) {
        containers.put(container.getContainerId().toString(), container.getAllocatedResource().toString());
      }
    }
    found.put("containers", containers);
    return found;
  }

  private static void stop() {
    STOPS.forEach(Runnable::run);
    Runtime.getRuntime().halt(0);
  }
}
