namespace CoAP.NET.Hosting.Tests.Documentation;

/// <summary>docs/small-machines.md: its defaults are those of the code, and its settings are what its table says.</summary>
public sealed partial class SmallMachinePageTests
{
    private const string Name = "small-machines.md";

    [Fact]
    public void Each_bound_of_the_table_has_its_default_and_what_the_settings_say()
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
            ? host.Services.GetRequiredService<IOptions<CoapDtlsServerFileOptions>>().Value
            : host.Services.GetRequiredService<IOptions<CoapServerOptions>>().Value.Limits;
        return Convert.ToInt64(owner.GetType().GetProperty(row.Groups["name"].Value)!.GetValue(owner), CultureInfo.InvariantCulture);
    }

    private static long NumberOf(string text)
    {
        long value = Assert.IsType<long>(ValueSyntax.Bytes(0, long.MaxValue).Parse(text.Replace(",", "", StringComparison.Ordinal)));
        return value;
    }

    [GeneratedRegex("^```json\r?\n(?<json>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Settings();

    [GeneratedRegex(@"^\| `(?<name>\w+)`(?<dtls> of DTLS)? \| (?<default>[\d,]+( MiB)?) \|[^|]*\|[^|]*\| (?<small>[\d,]+( MiB)?) \|",
        RegexOptions.Multiline | RegexOptions.ExplicitCapture)]
    private static partial Regex Row();
}
