using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Dtls;

namespace CoAP.NET.Hosting.Tests.Documentation;

/// <summary>docs/small-machines.md: its defaults are those of the code, and its settings are what its table says.</summary>
public sealed partial class SmallMachinePageTests
{
    private const string Name = "small-machines.md";

    [Fact]
    public void The_table_states_the_default_and_the_small_setting_of_each_limit()
    {
        using IHost defaults = HostOf("{}");
        using IHost small = HostOf(Settings().Match(Page.Read(Name)).Groups["json"].Value);

        MatchCollection rows = Row().Matches(Page.Read(Name));
        Assert.Equal(12, rows.Count);
        Assert.All<Match>(rows, row =>
        {
            Assert.Equal(NumberOf(row.Groups["default"].Value), ValueOf(defaults, row));
            Assert.Equal(NumberOf(row.Groups["small"].Value), ValueOf(small, row));
        });
    }

    [Fact]
    public void The_settings_on_the_page_equal_the_small_limits()
    {
        using IHost host = HostOf(Settings().Match(Page.Read(Name)).Groups["json"].Value);

        CoapLimits limits = host.Services.GetRequiredService<IOptions<CoapServerOptions>>().Value.Limits;

        // Not every property of an IPNetwork can be read.
        Assert.EquivalentWithExclusions(CoapLimits.Small, limits, strict: true, "Peers.TrustedPrefixes");
        Assert.Equal(CoapLimits.Small.Peers.TrustedPrefixes, limits.Peers.TrustedPrefixes);
    }

    private static IHost HostOf(string json)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        using MemoryStream stream = new(Encoding.UTF8.GetBytes(json));
        builder.Configuration.AddJsonStream(stream);
        builder.Services.AddCoapServer().UseDtls();
        return builder.Build();
    }

    private static long ValueOf(IHost host, Match row)
    {
        object owner = row.Groups["dtls"].Success
            ? host.Services.GetRequiredService<IOptions<HostedDtlsServerOptions>>().Value
            : host.Services.GetRequiredService<IOptions<CoapServerOptions>>().Value.Limits;
        return ValueOf(owner, row.Groups["name"].Value);
    }

    private static long ValueOf(object owner, string path) => Convert.ToInt64(
        path.Split('.').Aggregate(owner, static (one, name) => one.GetType().GetProperty(name)!.GetValue(one)!),
        CultureInfo.InvariantCulture);

    private static long NumberOf(string text)
    {
        long value = Assert.IsType<long>(
            ConfigurationValueSyntax.Bytes(0, long.MaxValue).Parse(text.Replace(",", "", StringComparison.Ordinal)));
        return value;
    }

    [GeneratedRegex("^```json\r?\n(?<json>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Settings();

    [GeneratedRegex(@"^\| `(?<name>[\w.]+)`(?<dtls> of DTLS)? \| (?<default>[\d,]+( MiB)?) \|[^|]*\|[^|]*\| (?<small>[\d,]+( MiB)?) \|",
        RegexOptions.Multiline | RegexOptions.ExplicitCapture)]
    private static partial Regex Row();
}
