import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.varia.NullAppender;
import org.apache.slider.common.tools.PortScanner;
import org.apache.slider.common.tools.SliderFileSystem;
import org.apache.slider.common.tools.SliderUtils;
import org.apache.slider.core.conf.AggregateConf;
import org.apache.slider.core.conf.ConfTree;
import org.apache.slider.core.conf.ConfTreeOperations;
import org.apache.slider.core.conf.MapOperations;
import org.apache.slider.core.conf.ResourcesInputPropertiesValidator;
import org.apache.slider.core.conf.TemplateInputPropertiesValidator;
import org.apache.slider.core.persist.ConfTreeSerDeser;
import org.apache.slider.core.registry.docstore.ConfigFormat;
import org.apache.slider.core.registry.docstore.PublishedConfiguration;
import org.apache.slider.core.registry.docstore.PublishedConfigurationOutputter;
import org.apache.slider.providers.ProviderUtils;
import org.apache.slider.providers.agent.AgentClientProvider;
import org.apache.slider.providers.agent.AgentUtils;
import org.apache.slider.providers.agent.ComponentCommandOrder;
import org.apache.slider.providers.agent.application.metadata.Application;
import org.apache.slider.providers.agent.application.metadata.CommandOrder;
import org.apache.slider.providers.agent.application.metadata.Component;
import org.apache.slider.providers.agent.application.metadata.ConfigFile;
import org.apache.slider.providers.agent.application.metadata.Export;
import org.apache.slider.providers.agent.application.metadata.ExportGroup;
import org.apache.slider.providers.agent.application.metadata.Metainfo;

/**
 * Asks Slider's own classes about applications.
 *
 * <p>Each line of the input is {@code NAME TAB PACKAGE.zip TAB appConfig.json TAB resources.json}; each line of the
 * output is a JSON object: {@code refused}, what was refused and why, and what Slider has read.
 */
public final class Judge {
  /** What the client and the application master read as integers. */
  private static final List<String> NUMBERS = List.of("yarn.component.instances", "yarn.role.priority", "yarn.memory",
      "yarn.vcores", "yarn.component.placement.policy", "yarn.placement.escalate.seconds", "yarn.container.failure.threshold");

  private final Configuration conf = new Configuration();
  private final SliderFileSystem files;
  private final Map<String, String> refused = new LinkedHashMap<>();
  private final Map<String, Object> read = new LinkedHashMap<>();

  private Judge() throws Exception {
    conf.set("fs.defaultFS", "file:///");
    files = new SliderFileSystem(FileSystem.getLocal(conf), conf);
  }

  private interface Question {
    void ask() throws Exception;
  }

  /** Asks one question; a refusal is an exception of Slider's. */
  private boolean passes(String name, Question question) {
    try {
      question.ask();
      return true;
    } catch (Exception problem) {
      Throwable cause = problem instanceof InvocationTargetException ? problem.getCause() : problem;
      refused.put(name, cause.getClass().getSimpleName() + ": " + cause.getMessage());
      return false;
    }
  }

  private void application(String name, String archive, String appConfig, String resources) {
    passes("name", () -> SliderUtils.validateClusterName(name));
    Metainfo[] metainfo = new Metainfo[1];
    ConfTree[] trees = new ConfTree[2];
    passes("metainfo", () -> {
      metainfo[0] = AgentUtils.getApplicationMetainfo(files, new File(archive).toURI().toString(), false);
      if (metainfo[0] == null) {
        throw new IllegalArgumentException("there is no metainfo in the package");
      }
      metainfo[0].validate();
      tell(metainfo[0].getApplication());
    });
    passes("appConfig", () -> {
      trees[0] = new ConfTreeSerDeser().fromFile(new File(appConfig));
      ConfTreeOperations operations = new ConfTreeOperations(trees[0]);
      operations.validate(new TemplateInputPropertiesValidator());
      ports(operations.getGlobalOptions());
    });
    passes("resources", () -> {
      trees[1] = new ConfTreeSerDeser().fromFile(new File(resources));
      ConfTreeOperations operations = new ConfTreeOperations(trees[1]);
      operations.validate(new ResourcesInputPropertiesValidator());
      operations.resolve();
      tell(operations);
    });
    if (metainfo[0] == null || trees[0] == null || trees[1] == null) {
      return;
    }
    passes("files", () -> configured(metainfo[0], trees[0]));
    passes("order", () -> new ComponentCommandOrder(
        metainfo[0].getApplication().getCommandOrders(), new ConfTreeOperations(trees[1])));
    passes("instance", () -> instance(archive, trees[0], trees[1]));
  }

  /** What {@code slider create} checks before it submits. */
  private void instance(String archive, ConfTree appConfig, ConfTree resources) throws Exception {
    AggregateConf whole = new AggregateConf(resources, appConfig, new ConfTree());
    whole.getAppConfOperations().getGlobalOptions().put("application.def", new File(archive).toURI().toString());
    whole.resolve();
    whole.validate();
    Constructor<AgentClientProvider> maker = AgentClientProvider.class.getDeclaredConstructor(Configuration.class);
    maker.setAccessible(true);
    maker.newInstance(conf).validateInstanceDefinition(whole, files);
  }

  /** What the application master writes for each component that asks for configuration files. */
  private void configured(Metainfo metainfo, ConfTree appConfig) throws Exception {
    ConfTreeOperations operations = new ConfTreeOperations(appConfig);
    operations.resolve();
    Map<String, Object> components = new LinkedHashMap<>();
    for (Component component : metainfo.getApplication().getComponents()) {
      MapOperations options = operations.getComponent(component.getName());
      if (options == null || !options.getOptionBool("am.config.generation", false)) {
        continue;
      }
      Map<String, String> files = new LinkedHashMap<>();
      for (ConfigFile file : metainfo.getComponentConfigFiles(component.getName())) {
        Map<String, String> entries = new TreeMap<>();
        new ProviderUtils(null).propagateSiteOptions(
            options.options, entries, file.getDictionaryName(), new HashMap<String, String>());
        files.put(file.getFileName(), PublishedConfigurationOutputter.createOutputter(
            ConfigFormat.resolve(file.getType()),
            new PublishedConfiguration(file.getDictionaryName(), entries.entrySet())).asString());
      }
      components.put(component.getName(), files);
    }
    read.put("files", components);
  }

  private static void ports(MapOperations options) throws Exception {
    String range = options.getOption("site.global.slider.allowed.ports", null);
    if (range != null) {
      new PortScanner().setPortRange(range);
    }
  }

  private void tell(ConfTreeOperations resources) {
    Map<String, Object> found = new LinkedHashMap<>();
    for (String name : resources.getComponentNames()) {
      Map<String, Integer> numbers = new LinkedHashMap<>();
      for (String key : NUMBERS) {
        if (resources.getComponent(name).containsKey(key)) {
          numbers.put(key, resources.getComponent(name).getOptionInt(key, 0));
        }
      }
      found.put(name, numbers);
    }
    read.put("resources", found);
  }

  private void tell(Application application) throws Exception {
    read.put("application", application.getName());
    read.put("version", application.getVersion());
    Map<String, Object> components = new LinkedHashMap<>();
    for (Component component : application.getComponents()) {
      Map<String, Object> facts = new LinkedHashMap<>();
      facts.put("script", component.getCommandScript().getScript());
      facts.put("least", component.getMinInstanceCountInt());
      facts.put("most", component.getMaxInstanceCountInt());
      facts.put("restarts", component.getAutoStartOnFailureBoolean());
      facts.put("exports", component.getCompExports());
      components.put(component.getName(), facts);
    }
    read.put("components", components);
    Map<String, String> exports = new LinkedHashMap<>();
    for (ExportGroup group : application.getExportGroups()) {
      for (Export export : group.getExports()) {
        exports.put(group.getName() + "-" + export.getName(), export.getValue());
      }
    }
    read.put("exports", exports);
    List<String> orders = new ArrayList<>();
    for (CommandOrder order : application.getCommandOrders()) {
      orders.add(order.getCommand() + " after " + order.getRequires());
    }
    read.put("orders", orders);
  }

  public static void main(String[] arguments) throws Exception {
    Logger.getRootLogger().addAppender(new NullAppender());
    Logger.getRootLogger().setLevel(Level.OFF);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split("\t");
      Judge judge = new Judge();
      judge.application(words[0], words[1], words[2], words[3]);
      judge.read.put("refused", judge.refused);
      System.out.println(new Gson().toJson(judge.read));
    }
  }
}
