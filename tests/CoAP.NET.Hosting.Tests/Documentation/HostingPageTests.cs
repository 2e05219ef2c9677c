using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Directories;
using CoAP.NET.Http.Hosting;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Hosting.Tests.Documentation;

/// <summary>
/// docs/hosting*.md: the tables of keys are those of the code, and its snippets stand in the sample or in the tests of this folder.
/// </summary>
public sealed partial class HostingPageTests
{
    [Fact]
    public void The_table_of_server_keys_lists_each_key_with_its_default_and_allowed_values() =>
        Check("server", AllKeys.Server, new AllKeys.OfServer());

    [Fact]
    public void The_table_of_client_keys_lists_the_keys_that_differ_from_those_of_servers()
    {
        HashSet<string> shared = [.. AllKeys.Server.Keys.Select(key => key.Path)];
        shared.Remove("AllowUnknownKeys");
        shared.Remove("RequirePrivateKeyFiles");
        Check("client", AllKeys.Client, new AllKeys.OfClient(), key => !shared.Contains(key));
    }

    [Fact]
    public void The_table_of_directory_keys_lists_each_key_with_its_default_and_allowed_values() =>
        Check("directory", DirectoryRegistrationSettings.Table, new DirectoryRegistrationSettings());

    [Fact]
    public void The_table_of_proxy_keys_lists_each_key_with_its_default_and_allowed_values() =>
        Check("proxy", ProxyConfigurationKeys.Table, new CoapHostedProxyOptions());

    [Fact]
    public void The_table_of_back_end_keys_lists_each_key_with_its_default_and_allowed_values() =>
        Check("proxyroute", ProxyConfigurationKeys.RouteTable, new CoapProxyRoute());

    [Fact]
    public void Every_snippet_is_compiled()
    {
        string code = string.Concat(
            Directory.GetFiles(Path.Combine(Repository.Root, "samples", "Hosting"), "*.cs")
                .Concat(Directory.GetFiles(Path.Combine(Repository.Root, "tests", "CoAP.NET.Hosting.Tests", "Documentation"), "*.cs"))
                .Select(file => Flat(File.ReadAllText(file))));
        MatchCollection snippets = Snippet().Matches(Page.Read("hosting.md"));
        Assert.True(snippets.Count >= 6);
        Assert.All(snippets, snippet => code.Mentions(Flat(snippet.Groups["code"].Value)));
    }

    private static void Check<T>(string name, ConfigurationSectionReader<T> table, T fresh, Func<string, bool>? filter = null) =>
        KeyTablePage.Check(name, table.Keys.Where(key => filter?.Invoke(key.Path) ?? true)
            .Select(key => (key.Path, key.ValueOf(fresh), key.Allowed)));

    private static string Flat(string code) => Blank().Replace(code, string.Empty);

    [GeneratedRegex("^```csharp\r?\n(?<code>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Snippet();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blank();
}
