using YamlDotNet.RepresentationModel;

namespace CoAP.NET.Package.Tests.Guides;

/// <summary>The manifests of Kubernetes on pages: they parse, their parts find each other, and the library knows their settings.</summary>
public sealed class ManifestTests
{
    public static TheoryData<string> Pages { get; } = ["guides/kubernetes.md"];

    [Theory]
    [MemberData(nameof(Pages))]
    public void Ports_volumes_and_labels_of_a_manifest_are_consistent(string page)
    {
        YamlNode pod = Template(page);
        YamlNode[] containers = [.. List(pod, "spec", "containers")];
        string[] ports = [.. containers.SelectMany(one => List(one, "ports")).Select(port => Text(port, "name"))];

        // What is not a number is the name of a port of the container.
        foreach (YamlNode document in Manifest(page))
        {
            IEnumerable<string> named = Texts(document, "port").Concat(Texts(document, "targetPort"));
            Assert.All(named.Where(port => !int.TryParse(port, out _)), port => Assert.Contains(port, ports));
        }

        string[] volumes = [.. List(pod, "spec", "volumes").Select(volume => Text(volume, "name"))];
        Assert.All(containers.SelectMany(one => List(one, "volumeMounts")), mount => Assert.Contains(Text(mount, "name"), volumes),
            throwIfEmpty: true);
        string app = Text(pod, "metadata", "labels", "app");
        Assert.Equal(app, Text(Kind(page, "Service"), "spec", "selector", "app"));
        Assert.Equal(app, Text(Kind(page, "Deployment"), "spec", "selector", "matchLabels", "app"));
        Assert.All(List(Kind(page, "Service"), "spec", "ports"), port => Assert.Equal("UDP", Text(port, "protocol")), throwIfEmpty: true);
    }

    [Theory]
    [MemberData(nameof(Pages))]
    public void Each_setting_of_a_manifest_is_a_configuration_key_of_the_library(string page)
    {
        Dictionary<string, HashSet<string>> keys = new()
        {
            ["Coap:Server:"] = KeysOf("server"),
            ["Coap:Cluster:"] = KeysOf("cluster"),
        };
        string[] settings = [.. List(Template(page), "spec", "containers").SelectMany(one => List(one, "env"))
            .Select(variable => Text(variable, "name").Replace("__", ":"))];

        Assert.True(settings.Length > 4);
        foreach (string setting in settings.Where(setting => setting.StartsWith("Coap:", Ordinal)))
        {
            string section = Assert.Single(keys.Keys, section => setting.StartsWith(section, Ordinal));
            Assert.Contains(setting[section.Length..], keys[section]);
        }
    }

    [Theory]
    [MemberData(nameof(Pages))]
    public void A_pod_has_a_longer_grace_period_than_its_program_needs(string page)
    {
        const string Begin = "ShutdownTimeout = TimeSpan.FromSeconds(";
        string text = File.ReadAllText(PathOf(page));
        int at = text.IndexOf(Begin, Ordinal) + Begin.Length;
        int shutdown = int.Parse(text[at..text.IndexOf(')', at)], CultureInfo.InvariantCulture);

        Assert.True(int.Parse(Text(Template(page), "spec", "terminationGracePeriodSeconds"), CultureInfo.InvariantCulture) > shutdown);
    }

    // The tables of keys are written by a test, from the code that reads them.
    private static HashSet<string> KeysOf(string table)
    {
        IEnumerable<string> lines = Directory.GetFiles(Path.Combine(Repository.Root, "docs"), "hosting*.md").SelectMany(File.ReadAllLines);
        return [.. lines.SkipWhile(line => line != $"<!-- keys: {table} -->").TakeWhile(line => line != "<!-- end -->")
            .Where(line => line.StartsWith("| `", Ordinal)).Select(line => line.Split('`')[1])];
    }

    private static string PathOf(string page) => Path.Combine(Repository.Root, "docs", page);

    private static YamlNode Template(string page) => ((YamlMappingNode)Kind(page, "Deployment")["spec"])["template"];

    private static YamlNode Kind(string page, string kind) => Manifest(page).Single(document => Text(document, "kind") == kind);

    private static IEnumerable<YamlNode> Manifest(string page)
    {
        string[] lines = File.ReadAllLines(PathOf(page));
        YamlStream stream = [];
        stream.Load(new StringReader(string.Join('\n',
            lines.SkipWhile(line => line != "```yaml").Skip(1).TakeWhile(line => line != "```"))));
        return stream.Documents.Select(document => document.RootNode);
    }

    private static YamlSequenceNode List(YamlNode node, params string[] path) =>
        path.Aggregate((YamlNode?)node, (at, key) => at is YamlMappingNode map && map.Children.TryGetValue(key, out YamlNode? child)
            ? child : null) as YamlSequenceNode ?? new YamlSequenceNode();

    private static string Text(YamlNode node, params string[] path) =>
        ((YamlScalarNode)path.Aggregate(node, (at, key) => ((YamlMappingNode)at)[key])).Value!;

    private static IEnumerable<string> Texts(YamlNode node, string key) =>
        node.AllNodes.OfType<YamlMappingNode>().SelectMany(map => map.Children)
            .Where(pair => pair.Key is YamlScalarNode { Value: { } name } && name == key).Select(pair => pair.Value)
            .OfType<YamlScalarNode>().Select(value => value.Value!);
}
