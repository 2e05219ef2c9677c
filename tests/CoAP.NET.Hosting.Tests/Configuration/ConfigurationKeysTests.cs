using System.Reflection;
using CoAP.NET.Dtls.Files;
using CoAP.NET.Edhoc.Hosting;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Dtls;
using CoAP.NET.Oscore.Hosting;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>
/// The tables of keys against the options of the core: everything can be configured, within the bounds that the core has.
/// </summary>
public sealed partial class ConfigurationKeysTests
{
    public static TheoryData<string> ServerPaths => [.. AllKeys.Server.Keys.Select(key => key.Path)];

    public static TheoryData<string> ClientPaths => [.. AllKeys.Client.Keys.Select(key => key.Path)];

    [Theory]
    [InlineData(typeof(CoapPeerStateLimits), "Limits:Peers:")]
    [InlineData(typeof(CoapMessageLimits), "Limits:Messages:")]
    [InlineData(typeof(CoapRequestLimits), "Limits:Requests:")]
    [InlineData(typeof(CoapBlockwiseLimits), "Limits:Blockwise:")]
    [InlineData(typeof(CoapObserveLimits), "Limits:Observe:")]
    [InlineData(typeof(CoapConnectionLimits), "Limits:Connections:")]
    [InlineData(typeof(CoapDeduplicationLimits), "Limits:Deduplication:")]
    [InlineData(typeof(CoapAmplificationLimits), "Limits:Amplification:")]
    [InlineData(typeof(CoapTransmissionParameters), "Parameters:")]
    [InlineData(typeof(CoapStreamOptions), "Transports:Streams:")]
    [InlineData(typeof(CoapGroupOptions), "Groups:")]
    [InlineData(typeof(CoapTlsFileOptions), "Tls:")]
    [InlineData(typeof(CoapDtlsServerFileOptions), "Dtls:")]
    [InlineData(typeof(CoapOscoreServerFileOptions), "Oscore:")]
    [InlineData(typeof(OscoreLimits), "Oscore:Limits:")]
    [InlineData(typeof(CoapEdhocServerFileOptions), "Edhoc:")]
    public void Every_property_has_a_key(Type options, string group)
    {
        IEnumerable<string> keys = AllKeys.Server.Keys.Select(static key => key.Path)
            .Union(ServerConfigurationKeys.Table.Paths.Concat(DtlsConfigurationKeys.ServerTable.Paths).Select(static key => key.Path));
        Assert.Equal(PropertiesOf(options, group), keys.Where(path => IsOf(group, path)).Order());
    }

    [Theory]
    [InlineData(typeof(CoapDtlsClientFileOptions), "Dtls:")]
    [InlineData(typeof(CoapOscoreClientFileOptions), "Oscore:")]
    [InlineData(typeof(CoapEdhocClientFileOptions), "Edhoc:")]
    public void Every_property_of_a_client_has_a_key(Type options, string group) => Assert.Equal(
        PropertiesOf(options, group),
        AllKeys.Client.Keys.Select(key => key.Path).Where(path => IsOf(group, path)).Order());

    [Theory]
    [MemberData(nameof(ServerPaths))]
    public void Writing_the_default_of_a_server_key_changes_no_option(string path)
    {
        ConfigurationKey<AllKeys.OfServer> key = AllKeys.Server.Keys.Single(key => key.Path == path);
        string value = key.ValueOf(new AllKeys.OfServer());
        if (value != "none")
        {
            AllKeys.OfServer options = new();
            Assert.Empty(key.Set(options, key.IsList ? value.Split("; ") : [value]));
            Assert.Equal(value, key.ValueOf(options));
        }
    }

    [Theory]
    [MemberData(nameof(ClientPaths))]
    public void The_default_of_a_client_key_can_be_written(string path)
    {
        ConfigurationKey<AllKeys.OfClient> key = AllKeys.Client.Keys.Single(key => key.Path == path);
        string value = key.ValueOf(new AllKeys.OfClient());
        Assert.True(value == "none" || !key.Set(new AllKeys.OfClient(), key.IsList ? value.Split("; ") : [value]).Any());
    }

    [Theory]
    [MemberData(nameof(ServerPaths))]
    public void The_bounds_of_a_key_are_accepted_and_values_outside_are_refused(string path)
    {
        ConfigurationKey<AllKeys.OfServer> key = AllKeys.Server.Keys.Single(key => key.Path == path);
        if (Bounds().Match(key.Allowed) is { Success: true } bounds)
        {
            (string min, string max) = (bounds.Groups["min"].Value, bounds.Groups["max"].Value);
            Assert.Empty(key.Set(new AllKeys.OfServer(), [min]));
            Assert.Empty(key.Set(new AllKeys.OfServer(), [max]));
            Assert.NotEmpty(key.Set(new AllKeys.OfServer(), ["-1"]));
            if (long.TryParse(max, NumberStyles.None, CultureInfo.InvariantCulture, out long most))
            {
                Assert.NotEmpty(key.Set(new AllKeys.OfServer(), [(most + 1).ToString(CultureInfo.InvariantCulture)]));
                if (most < int.MaxValue && path.StartsWith("Limits:", Ordinal))
                {
                    // So does the core.
                    (PropertyInfo property, object group) =
                        LimitPaths.Find(new CoapLimits(), path["Limits:".Length..].Replace(':', '.'))!.Value;
                    TargetInvocationException refused = Assert.Throws<TargetInvocationException>(
                        () => property.SetValue(group,
                            Convert.ChangeType(most + 1, property.PropertyType, CultureInfo.InvariantCulture)));
                    Assert.IsType<ArgumentOutOfRangeException>(refused.InnerException);
                }
            }
        }
    }

    [Theory]
    [InlineData("500ms", 500)]
    [InlineData("500 ms", 500)]
    [InlineData("1.5s", 1500)]
    [InlineData("2min", 120_000)]
    [InlineData("1h", 3_600_000)]
    [InlineData("00:00:05", 5000)]
    public void Times_are_written_with_a_unit_or_with_colons(string text, int milliseconds)
    {
        AllKeys.OfServer options = new();
        Assert.Empty(Key("Parameters:AckTimeout").Set(options, [text]));
        Assert.Equal(FromMilliseconds(milliseconds), options.Server.Parameters.AckTimeout);
    }

    [Theory]
    [InlineData("5")] // days to .NET, seconds to people
    [InlineData("0")]
    [InlineData("2h")]
    [InlineData("-1s")]
    [InlineData("infinite")]
    [InlineData("1e99d")]
    [InlineData("soon")]
    public void Other_times_are_refused(string text) =>
        Assert.Equal("allowed is: time such as 500ms, 5s, 2min or 00:02:00, above 0 s, up to 1 h",
            Assert.Single(Key("Parameters:AckTimeout").Set(new AllKeys.OfServer(), [text])).Problem);

    [Theory]
    [InlineData("NaNs")]
    [InlineData("Infinity s")]
    [InlineData("1,5s")]
    public void An_invalid_time_is_refused_and_not_treated_as_none(string text) =>
        Assert.NotEmpty(Key("Processes:StopGracePeriod").Set(new AllKeys.OfServer(), [text]));

    [Theory]
    [InlineData("65536", 65536)]
    [InlineData("64 KiB", 65536)]
    [InlineData("2mib", 2 * 1024 * 1024)]
    [InlineData("70000 B", 70_000)]
    public void Sizes_may_have_a_unit(string text, int bytes)
    {
        AllKeys.OfServer options = new();
        Assert.Empty(Key("Limits:Peers:NewcomerMemory").Set(options, [text]));
        Assert.Equal(bytes, options.Server.Limits.Peers.NewcomerMemory);
    }

    [Theory]
    [InlineData("64 KB")]
    [InlineData("1.5 MiB")]
    [InlineData("99999999999 GiB")]
    [InlineData("1024")]
    public void Invalid_sizes_are_refused(string text) =>
        Assert.NotEmpty(Key("Limits:Peers:NewcomerMemory").Set(new AllKeys.OfServer(), [text]));

    [Theory]
    [InlineData("1e-9", 1e-9)]
    [InlineData("2.5E-1", 0.25)]
    [InlineData("1", 1)]
    public void A_number_with_a_fraction_may_have_an_exponent(string text, double number)
    {
        AllKeys.OfServer options = new();
        ConfigurationKey<AllKeys.OfServer> key = Key("Limits:Blockwise:MaxSourceFraction");
        Assert.Empty(key.Set(options, [text]));
        Assert.Equal(number, options.Server.Limits.Blockwise.MaxSourceFraction);

        // What is shown can be set.
        Assert.Empty(key.Set(options, [key.ValueOf(options)]));
        Assert.Equal(number, options.Server.Limits.Blockwise.MaxSourceFraction);
    }

    [Theory]
    [InlineData("Limits:Requests:MaxServed", "1e3", "allowed is: whole number, 1 to 2147483647. Write the number without an exponent")]
    [InlineData("Limits:Requests:MaxServed", "1E+3", "Write the number without an exponent")]
    [InlineData("Limits:Blockwise:RequestMemory", "1e6", "Write the number without an exponent")]
    [InlineData("Limits:Requests:MaxServed", "1k", "allowed is: whole number, 1 ")]
    public void The_error_for_a_whole_number_with_an_exponent_says_that_it_has_none(string path, string text, string words)
    {
        string problem = Assert.Single(Key(path).Set(new AllKeys.OfServer(), [text])).Problem;
        problem.Mentions(words);
        Assert.Equal(text != "1k", problem.Contains("exponent", Ordinal));
    }

    [Fact]
    public void The_error_for_a_value_that_violates_another_rule_than_a_range_states_the_rule() =>
        Assert.Equal("A block size must be 16, 32, 64, 128, 256, 512 or 1024 bytes (RFC 7959 section 2.2).",
            Assert.Single(Key("Parameters:PreferredBlockSize").Set(new AllKeys.OfServer(), ["100"])).Problem);

    private static bool IsOf(string group, string path) =>
        path.StartsWith(group, Ordinal) && !path[group.Length..].Contains(':', Ordinal);

    private static IEnumerable<string> PropertiesOf(Type options, string group) =>
        options.GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(property => (property.CanWrite || property.PropertyType.IsGenericType)
                && !property.PropertyType.IsAssignableTo(typeof(Delegate)))
            .Select(property => group + property.Name)
            .Order();

    private static ConfigurationKey<AllKeys.OfServer> Key(string path) => AllKeys.Server.Keys.Single(key => key.Path == path);

    [GeneratedRegex(@"(?<min>\d+(\.\d+)?( ?\w+)?) to (?<max>\d+(\.\d+)?( ?\w+)?)")]
    private static partial Regex Bounds();
}
