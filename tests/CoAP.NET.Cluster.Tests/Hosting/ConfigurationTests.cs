using CoAP.NET.Cluster.Hosting;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Tests.Hosting;

public sealed class ConfigurationTests : FolderTest
{
    private static readonly byte[] s_secret = [.. Enumerable.Range(1, 32).Select(i => (byte)i)];

    public static TheoryData<string> Paths => [.. ClusterConfigurationKeys.Table.Keys.Select(key => key.Path)];

    [Fact]
    public void The_page_lists_each_key_with_its_default_and_allowed_values() =>
        KeyTablePage.Check("cluster", ClusterConfigurationKeys.Table.Keys.Select(
            key => (key.Path, key.ValueOf(new ClusterSettings(new CoapClusterOptions())), key.Allowed)));

    [Theory]
    [InlineData(typeof(CoapSlotMoveOptions), "Moves:")]
    [InlineData(typeof(CoapDeviceOptions), "Devices:")]
    [InlineData(typeof(CoapClusterObserverOptions), "Observers:")]
    [InlineData(typeof(CoapRecordWriterOptions), "Writer:")]
    public void Every_property_has_a_key(Type options, string group) => Assert.Equal(
        options.GetProperties().Where(property => property.PropertyType.IsValueType).Select(property => property.Name)
            .Order(),
        ClusterConfigurationKeys.Table.Keys.Where(key => key.Path.StartsWith(group, Ordinal))
            .Select(key => key.Path[group.Length..]).Order());

    [Theory]
    [MemberData(nameof(Paths))]
    public void The_default_and_the_bounds_of_a_key_are_valid_options(string path)
    {
        ConfigurationKey<ClusterSettings> key = ClusterConfigurationKeys.Table.Keys.Single(key => key.Path == path);
        string[] values = [key.ValueOf(new ClusterSettings(new CoapClusterOptions())), .. BoundsOf(key.Allowed)];
        foreach (string value in values.Where(value => value != "none"))
        {
            // The writer's longest retry is bounded by its first one, and a caller's share by the whole, which are at their defaults.
            ClusterSettings settings = new(new CoapClusterOptions { Secrets = [s_secret] });
            settings.Options.Writer.FirstRetry = FromMilliseconds(1);
            settings.Options.Writer.LongestRetry = FromMinutes(10);
            settings.Options.Devices.MaxQueued = 1_000_000;
            settings.Options.Devices.MaxQueuedPerCaller = 1;
            Assert.Empty(key.Set(settings, [value]));
            Assert.Null(settings.Options.FindFault());
        }
    }

    [Fact]
    public void A_section_configures_the_cluster_of_the_application()
    {
        CoapClusterOptions options = Read(
            ("Secret", Convert.ToBase64String(s_secret)), ("Lease", "9s"), ("Moves:RelayTime", "10s"), ("Devices:AwakeTime", "93s"),
            ("Observers:RestoresPerSecond", "50"),
            ("Writer:MaxBytes", "1 MiB"));

        Assert.Equal(s_secret, Assert.Single(options.Secrets).ToArray());
        Assert.Equal(FromSeconds(9), options.Lease);
        Assert.Equal(FromSeconds(10), options.Moves.RelayTime);
        Assert.Equal(FromSeconds(93), options.Devices.AwakeTime);
        Assert.Equal(50, options.Observers.RestoresPerSecond);
        Assert.Equal(1 << 20, options.Writer.MaxBytes);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_secret_is_read_from_a_file_in_base64_or_hexadecimal_digits(bool isBase64)
    {
        string file = Write(isBase64 ? Convert.ToBase64String(s_secret) + "\n" : "0x" + Convert.ToHexString(s_secret));

        Assert.Equal(s_secret, Assert.Single(Read(("SecretFile", file)).Secrets).ToArray());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_previous_secret_follows_the_current_secret_in_the_setting_while_it_is_replaced(bool isFile)
    {
        byte[] previous = [.. s_secret.Reverse()];
        string text = $"{Convert.ToBase64String(s_secret)}\n0x{Convert.ToHexString(previous)}\n";

        CoapClusterOptions options = Read(isFile ? ("SecretFile", Write(text)) : ("Secret", text));

        Assert.Equal([s_secret, previous], options.Secrets.Select(secret => secret.ToArray()));
        Assert.Null(options.FindFault());
    }

    [Fact]
    public void Code_overrides_configuration_and_another_section_can_be_named()
    {
        ServiceCollection services = new();
        services.AddSingleton(Configuration("Fleet", ("Lease", "9s"), ("Moves:BatchSize", "4")));
        services.AddCoapState(Configuration("Fleet", ("Lease", "9s"), ("Moves:BatchSize", "4")).GetSection("Fleet"), options =>
        {
            options.Secrets = [s_secret];
            options.Moves.BatchSize++;
        });
        using ServiceProvider provider = services.BuildServiceProvider();
        CoapClusterOptions options = provider.GetRequiredService<IOptions<CoapClusterOptions>>().Value;

        Assert.Equal(FromSeconds(9), options.Lease);
        Assert.Equal(5, options.Moves.BatchSize);
    }

    [Theory]
    [InlineData("Lease", "5", "Coap:Cluster:Lease = '5': allowed is: time such as 500ms, 5s")]
    [InlineData("Leese", "5s", "Coap:Cluster:Leese is not a known key. Did you mean Coap:Cluster:Lease?")]
    [InlineData("Secret", "AQIDBA==", "Coap:Cluster:Secret = '***': allowed is: 32 random bytes in Base64 (openssl rand -base64 32)")]
    [InlineData("SecretFile", "/nowhere/secret", "Coap:Cluster:SecretFile = '/nowhere/secret': there is no file /nowhere/secret")]
    [InlineData("Secret:Key", "x", "Coap:Cluster:Secret has a single value")]
    public void Invalid_configuration_prevents_the_start_and_the_error_names_the_key(string key, string value, string words)
    {
        OptionsValidationException exception = Assert.Throws<OptionsValidationException>(() => Read((key, value)));

        exception.Mentions(words);
        exception.Message.Omits("AQIDBA==");
    }

    [Fact]
    public void The_error_for_a_file_without_a_secret_does_not_show_its_content()
    {
        string message = Assert.Throws<OptionsValidationException>(() => Read(("SecretFile", Write("correct horse")))).Message;

        message.Mentions("does not contain a secret");
        message.Mentions("openssl rand -base64 32");
        message.Omits("horse");
    }

    [Fact]
    public void Two_secret_settings_are_refused_and_the_error_for_a_missing_secret_says_what_to_do()
    {
        string two = Assert.Throws<OptionsValidationException>(() => Read(
            ("SecretFile", Write(Convert.ToBase64String(s_secret))), ("Secret", Convert.ToBase64String(s_secret)))).Message;
        Assert.Equal("Coap:Cluster:Secret and Coap:Cluster:SecretFile are both set. Remove one of them.", two);

        string none = Assert.Throws<OptionsValidationException>(() => Read()).Message;
        none.Mentions("no secret");
        none.Mentions("Coap:Cluster:SecretFile");
    }

    [Theory]
    [InlineData("Le\nase\u001b[31m", "1s")]
    [InlineData("Lease", "1\ns\u202e")]
    [InlineData("SecretFile", "/a\nb\u001b[31m")]
    public void Errors_show_keys_and_values_only_as_escaped_text_on_a_single_line(string key, string value)
    {
        OptionsValidationException refused = Assert.Throws<OptionsValidationException>(() => Read(
            key == "SecretFile" ? [(key, value)] : [("Secret", Convert.ToBase64String(s_secret)), (key, value)]));

        Assert.All(refused.Failures, failure => Assert.Equal(CoapUntrustedText.LineOf(failure), failure), throwIfEmpty: true);
    }

    [Fact]
    public async Task A_secret_file_that_others_can_read_and_unknown_keys_are_logged_as_warnings()
    {
        string file = Write(Convert.ToBase64String(s_secret));
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(file, UnixFileMode.UserRead | UnixFileMode.OtherRead);
        }

        using StringWriterLogger log = new();
        HostApplicationBuilder builder = new();
        builder.Configuration.AddInMemoryCollection([
            new("Coap:Cluster:SecretFile", file), new("Coap:Cluster:Leese", "1s"), new("Coap:Cluster:AllowUnknownKeys", "true")]);
        builder.Services.AddSingleton<ILoggerFactory>(log);
        builder.Services.AddCoapState().UseMemory();
        using IHost host = builder.Build();
        await host.StartAsync();
        await host.StopAsync();

        string told = log.ToString();
        told.Mentions("1802 Coap:Cluster:Leese is not a known key. Did you mean Coap:Cluster:Lease?");
        Assert.Equal(!OperatingSystem.IsWindows(), told.Contains("chmod 600", Ordinal));
    }

    /// <summary>The cluster is created with the hosted services, before the application validates its options.</summary>
    [Fact]
    public async Task An_application_reports_the_errors_of_cluster_and_server_in_one_exception()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Configuration.AddInMemoryCollection(
        [
            KeyValuePair.Create<string, string?>("Coap:Cluster:Leese", "5s"),
            KeyValuePair.Create<string, string?>("Coap:Server:Endpoint", "coap://*"),
        ]);
        builder.Services.AddCoapState().UseMemory();
        builder.Services.AddCoapServer().KeepState();
        using IHost host = builder.Build();

        Exception error = await Assert.ThrowsAnyAsync<Exception>(() => host.StartAsync());
        IEnumerable<string> failures = Assert.IsType<OptionsValidationException>(error).Failures;
        Assert.Contains(failures, failure => failure.StartsWith("Coap:Cluster:Leese is not a known key.", Ordinal));
        Assert.Contains(failures, failure => failure.StartsWith("Coap:Server:Endpoint is not a known key.", Ordinal));
    }

    private string Write(string text)
    {
        string file = Path.Combine(Folder, "secret");
        File.WriteAllText(file, text);
        return file;
    }

    private static IEnumerable<string> BoundsOf(string allowed) =>
        allowed.Split(", ")[^1].Split(" to ") is [var least, var most] && char.IsAsciiDigit(least[0]) ? [least, most] : [];

    private static CoapClusterOptions Read(params (string Key, string Value)[] settings)
    {
        ServiceCollection services = new();
        services.AddSingleton(Configuration("Coap:Cluster", settings));
        services.AddCoapState();
        using ServiceProvider provider = services.BuildServiceProvider();
        return provider.GetRequiredService<IOptions<CoapClusterOptions>>().Value;
    }

    private static IConfiguration Configuration(string section, params (string Key, string Value)[] settings) =>
        new ConfigurationBuilder()
            .AddInMemoryCollection(settings.Select(
                setting => KeyValuePair.Create<string, string?>($"{section}:{setting.Key}", setting.Value)))
            .Build();
}
