using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>Configurations with very many keys, and with keys and values that look like something else in a log.</summary>
public sealed class LargeConfigurationTests : HostTest
{
    // A line break, a terminal sequence, a line separator and a mark that turns the direction of writing.
    private const string Harmful = "a\r\nb\u001b[31mc\u2028d\u202ee";

    public static TheoryData<string, string> HarmfulSettings => new()
    {
        { $"Coap:Server:{Harmful}", "1" },
        { $"Coap:Server:Limits:{Harmful}", "1" },
        { "Coap:Server:Transports:Shards", Harmful },
        { $"Coap:Server:Transports:Shards:{Harmful}", "1" },
        { $"Coap:Server:Endpoints:{Harmful}:x", "1" },
        { "Coap:Server:Endpoints", $"coap://{Harmful}" },
        { "Coap:Server:Limits", Harmful },
        { "Coap:Server:Peers", Harmful },
        { $"Coap:Server:Peers:{Harmful}:AckTimeout", "1s" },
        { $"Coap:Server:Peers:0:{Harmful}", "1" },
        { $"Coap:Server:Directories:{Harmful}:Lifetime", "1h" },
        { "Coap:Server:Directories:0:Uri", Harmful },
        { "Coap:Server:Tls:Certificate", Harmful },
        { "Coap:Server:Dtls:PskFile", Harmful },
        { $"Coap:Server:Dtls:Psk:{Harmful}", "no:key" },
        { "Coap:Server:Oscore:Files:0", Harmful },
        { "Coap:Server:Edhoc:File", Harmful },
    };

    [Theory]
    [MemberData(nameof(HarmfulSettings))]
    public async Task Errors_and_logs_show_keys_and_values_only_as_escaped_text_on_a_single_line(string key, string value)
    {
        HostApplicationBuilder builder = Builder((key, value));
        builder.Services.AddCoapServer().UseDtls().RegisterWithDirectories();

        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(builder));

        Assert.All(refused.Failures, failure => Assert.Equal(CoapUntrustedText.LineOf(failure), failure), throwIfEmpty: true);
        Assert.All(Logged.Entries.Where(entry => entry.Id is >= 1800 and < 1900),
            entry => Assert.Equal(CoapUntrustedText.LineOf(entry.Text), entry.Text));
    }

    [Fact]
    public void Many_unknown_keys_are_counted_and_only_the_first_are_compared_with_known_keys()
    {
        CoapServerOptions options = Read(Enumerable.Range(0, 20_000).Select(i => ($"Shardss{i}", "1")));

        Assert.Equal(
            ConfigurationFindingList<string>.MaxListed + 1, options.Findings.UnknownKeys.Count());
        Assert.Equal("There are 19980 more unknown keys.", options.Findings.UnknownKeys.Last());
        Assert.Equal(ConfigurationFindingList<string>.MaxListed + 1, options.Findings.ListProblems("Coap:Server", allowsUnknownKeys: false).Count);
        Assert.All(options.Findings.UnknownKeys.SkipLast(1),
            unknown => unknown.Mentions("is not a known key."));
    }

    [Fact]
    public void Only_the_findings_that_are_shown_are_formatted()
    {
        ConfigurationFindingList<string> findings = new("findings", static text => text);
        int made = 0;
        for (int i = 0; i < 1_000; i++)
        {
            findings.Add(i, number => $"{made++}: {number}");
        }

        Assert.Equal(ConfigurationFindingList<string>.MaxListed, made);
        Assert.Equal(made + 1, findings.Count());
    }

    [Fact]
    public void The_error_for_a_very_long_key_is_short_and_has_no_suggestion()
    {
        CoapServerOptions options = Read([(new string('k', 100_000), "1")]);

        string error = Assert.Single(options.Findings.UnknownKeys);
        error.Omits("Did you mean");
        Assert.InRange(error.Length, 200, 4_000);
    }

    // Each enumeration of keys looks at all keys of the configuration.
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Long_lists_of_items_are_read_with_a_limited_number_of_enumerations(int prefixes)
    {
        int once = Enumerations(600, prefixes, out CoapServerOptions options);
        int twice = Enumerations(1_200, prefixes, out _);

        Assert.Equal(once, twice);
        Assert.Empty(options.Findings.Errors);
        Assert.Empty(options.Findings.UnknownKeys);
        options.Peers.ApplyTo(options.Endpoint);
        foreach (int peer in (int[])[0, 499, 500, 599])
        {
            for (int i = 0; i < prefixes; i++)
            {
                CoapAddress address = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(AddressOf(peer, i)), 5683));
                Assert.Equal(FromSeconds(7), options.Endpoint.ParametersOf!(address.ToIPEndPoint())!.AckTimeout);
            }
        }
    }

    [Fact]
    public void Long_lists_of_values_are_read_with_a_limited_number_of_enumerations()
    {
        Assert.Equal(Count(600), Count(1_200));

        static int Count(int values)
        {
            CountingSource source =
                new(Enumerable.Range(0, values).Select(i => ($"Limits:Peers:TrustedPrefixes:{i}", $"{AddressOf(i, 0)}/32")));
            CoapServerOptions options = Read(source);
            Assert.Empty(options.Findings.Errors);
            return source.Enumerations;
        }
    }

    [Fact]
    public void An_unknown_key_in_one_of_the_first_items_of_a_long_list_is_found_and_a_wrong_value_in_any()
    {
        CoapServerOptions options = Read([.. Peers(600, 1), ("Peers:400:AckTimeuot", "1s"), ("Peers:550:NStart", "0")]);

        Assert.Single(options.Findings.UnknownKeys).Begins("Coap:Server:Peers:400:AckTimeuot is not a known key.");
        Assert.Single(options.Findings.Errors).Begins("Coap:Server:Peers:550:NStart = '0'");
    }

    [Fact]
    public void Watching_a_very_large_section_uses_a_limited_number_of_enumerations()
    {
        Assert.Equal(Count(1_100), Count(2_200));

        int Count(int peers)
        {
            CountingSource source = new(Peers(peers, 1));
            IConfigurationRoot root = new ConfigurationBuilder().Add(source).Build();
            using ConfigurationChangeWarning? watch =
                ConfigurationChangeWarning.Begin(root.GetSection("Coap:Server"), "The server", Logged.CreateLogger("test"));
            Assert.NotNull(watch);
            return source.Enumerations;
        }
    }

    private static int Enumerations(int peers, int prefixes, out CoapServerOptions options)
    {
        CountingSource source = new(Peers(peers, prefixes));
        options = Read(source);
        int read = source.Enumerations;
        options.Peers.ApplyTo(new CoapServerOptions().Endpoint);
        Assert.Equal(read, source.Enumerations);
        return read;
    }

    private static IEnumerable<(string, string)> Peers(int peers, int prefixes) => Enumerable.Range(0, peers).SelectMany(peer =>
        Enumerable.Range(0, prefixes).Select(i => ($"Peers:{peer}:Prefixes:{i}", $"{AddressOf(peer, i)}/32"))
            .Append(($"Peers:{peer}:AckTimeout", "7s")));

    private static string AddressOf(int peer, int prefix) => $"10.{prefix}.{peer / 250}.{peer % 250}";

    private static CoapServerOptions Read(IEnumerable<(string Key, string Value)> settings) => Read(new CountingSource(settings));

    private static CoapServerOptions Read(CountingSource source)
    {
        CoapServerOptions options = new();
        ServerConfigurationKeys.Table.Read(
            new ConfigurationBuilder().Add(source).Build().GetSection("Coap:Server"), options, options.Findings);
        return options;
    }

    private sealed class CountingSource : ConfigurationProvider, IConfigurationSource
    {
        public CountingSource(IEnumerable<(string Key, string Value)> settings) => Data =
            settings.ToDictionary(
                one => $"Coap:Server:{one.Key}", static string? (one) => one.Value, StringComparer.OrdinalIgnoreCase);

        public int Enumerations { get; private set; }

        public IConfigurationProvider Build(IConfigurationBuilder builder) => this;

        public override IEnumerable<string> GetChildKeys(IEnumerable<string> earlierKeys, string? parentPath)
        {
            Enumerations++;
            return base.GetChildKeys(earlierKeys, parentPath);
        }
    }
}
