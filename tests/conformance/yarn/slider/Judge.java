public final class Judge { public static void main(String[] a) {} }
