using CoAP.NET.Execution;
using CoAP.NET.Hosting.Configuration;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>What is read of a section, and what is said of what is wrong in it.</summary>
public sealed class SectionTests
{
    [Fact]
    public void A_shared_secret_is_read_and_the_error_for_a_short_secret_does_not_show_it()
    {
        string hex = string.Concat(Enumerable.Range(1, 32).Select(number => $"{number:x2}"));
        CoapServerOptions options = Read($$"""{ "Processes": { "SharedSecret": "0x{{hex}}" } }""");
        Assert.Empty(options.Findings.Errors);
        Assert.Equal(hex, Convert.ToHexStringLower(options.Endpoint.Processes.SharedSecret.Span));
        Assert.Equal("sixteen bytes andsixteen bytes and"u8,
            Read("""{ "Processes": { "SharedSecret": "sixteen bytes andsixteen bytes and" } }""").Endpoint.Processes.SharedSecret.Span);

        CoapServerOptions bad = Read("""{ "Processes": { "SharedSecret": "too short" } }""");
        Assert.True(bad.Endpoint.Processes.SharedSecret.IsEmpty);
        string error = Assert.Single(bad.Findings.Errors);
        error.Mentions("SharedSecret = '***': allowed is: text, or 0x and hexadecimal digits, of 32 bytes or more");
    }

    [Fact]
    public void Single_limits_override_a_preset_of_limits()
    {
        CoapServerOptions options = Read("""{ "Limits": { "Observe": { "MaxObservers": 500 }, "Preset": "small" } }""");
        Assert.Empty(options.Findings.Errors);
        Assert.Equal((500, CoapLimits.Small.Requests.MaxServed), (options.Limits.Observe.MaxObservers, options.Limits.Requests.MaxServed));
        Assert.Equal(1, Read("""{ "Limits": { "Preset": "Gateway" } }""").Endpoint.Limits.Blockwise.MaxSourceFraction);

        Assert.Single(Read("""{ "Limits": { "Preset": "big" } }""").Findings.Errors).Mentions(
            "Preset = 'big': allowed is: Default, Small or Gateway");
    }

    [Fact]
    public void Values_of_all_kinds_are_read()
    {
        CoapServerOptions options = Read(
            """
            {
              "Endpoints": [ "coap://*:5683", "coap+tcp://[::1]:5683" ],
              "transports": { "shards": 4, "Streams": { "KeepAliveInterval": "5min", "RepeatsIdempotentRequests": false } },
              "Processes": { "StopGracePeriod": "00:00:10", "AnswerWhileStopping": false },
              "JoinGroups": true,
              "Groups": { "Addresses": [ "ff02::fd" ], "Interfaces": [ "eth0" ], "GroupSize": 50, "ResponseRate": 1000.5 },
              "Limits": {
                "Observe": { "MaxObservers": 500 },
                "Blockwise": { "MaxRequestBodySize": "4 MiB", "MaxSourceFraction": 0.5 },
                "Amplification": { "IsLimited": false },
                "Peers": { "IdleLifetime": "infinite", "TrustedPrefixes": [ "192.0.2.0/24" ] }
              },
              "Parameters": { "AckTimeout": "3s", "NStart": 4, "ProbingRate": "infinite", "RetransmissionTiming": "fasor" },
              "TooManyRequests": "Wait",
              "Tls": { "Certificate": "server.pem", "ClientCertificates": "Optional" }
            }
            """);

        Assert.Empty(options.Findings.Errors);
        Assert.Empty(options.Findings.UnknownKeys);
        Assert.Equal(["coap://*:5683", "coap+tcp://[::1]:5683"], options.Endpoints);
        Assert.Equal(4, options.Endpoint.Transports.Shards);
        Assert.Equal(FromSeconds(10), options.Endpoint.Processes.StopGracePeriod);
        Assert.False(options.Endpoint.Processes.AnswerWhileStopping);
        Assert.Equal([IPNetwork.Parse("192.0.2.0/24")], options.Endpoint.Limits.Peers.TrustedPrefixes);
        Assert.True(options.JoinGroups);
        Assert.Equal([CoapGroupOptions.AllCoapNodesLinkLocal], options.Groups.Addresses);
        Assert.Equal(["eth0"], options.Groups.Interfaces);
        Assert.Equal((50, 1000.5), (options.Groups.GroupSize, options.Groups.ResponseRate));
        Assert.Equal((500, 4L << 20, 0.5),
            (options.Limits.Observe.MaxObservers, options.Limits.Blockwise.MaxRequestBodySize, options.Limits.Blockwise.MaxSourceFraction));
        Assert.False(options.Limits.Amplification.IsLimited);
        Assert.Equal(Timeout.InfiniteTimeSpan, options.Limits.Peers.IdleLifetime);
        Assert.Equal((FromSeconds(3), 4, double.PositiveInfinity),
            (options.Parameters.AckTimeout, options.Parameters.NStart, options.Parameters.ProbingRate));
        Assert.Equal(CoapRetransmissionAlgorithm.Fasor, options.Parameters.RetransmissionTiming);
        Assert.Equal(FromMinutes(5), options.Endpoint.Transports.Streams.KeepAliveInterval);
        Assert.False(options.Endpoint.Transports.Streams.RepeatsIdempotentRequests);
        Assert.Equal(CoapTooManyRequestsBehavior.Wait, options.Endpoint.TooManyRequests);
        Assert.Equal(("server.pem", CoapClientCertificateMode.Optional), (options.Tls.Certificate, options.Tls.ClientCertificates));
    }

    [Theory]
    [InlineData("""{ "Limits": { "Observe": { "MaxObservers": "many" } } }""",
        "Coap:Server:Limits:Observe:MaxObservers = 'many': allowed is: whole number, 0 to 100000000")]
    [InlineData("""{ "Limits": { "Observe": { "MaxObservers": -1 } } }""",
        "Coap:Server:Limits:Observe:MaxObservers = '-1': allowed is: whole number, 0 to 100000000")]
    [InlineData("""{ "Parameters": { "AckRandomFactor": 0.9 } }""",
        "Coap:Server:Parameters:AckRandomFactor = '0.9': allowed is: number 1 to 10")]
    [InlineData("""{ "TooManyRequests": "on" }""", "Coap:Server:TooManyRequests = 'on': allowed is: one of FailFast, Wait, None")]
    [InlineData("""{ "TooManyRequests": "1" }""", "Coap:Server:TooManyRequests = '1': allowed is: one of FailFast, Wait, None")]
    [InlineData("""{ "JoinGroups": "yes" }""", "Coap:Server:JoinGroups = 'yes': allowed is: true or false")]
    [InlineData("""{ "Endpoints": [ "coap://*", "5683" ] }""",
        "Coap:Server:Endpoints:1 = '5683': allowed is: URI with scheme, host and port such as coap://*:5683, without path, no group")]
    [InlineData("""{ "Endpoints": "coap://224.0.1.187" }""",
        "Coap:Server:Endpoints = 'coap://224.0.1.187': allowed is: URI with scheme, host and port such as coap://*:5683, without path, no "
            + "group")]
    [InlineData("""{ "Limits": { "Peers": { "TrustedPrefixes": [ "10.0.0.1/33" ] } } }""",
        "Coap:Server:Limits:Peers:TrustedPrefixes:0 = '10.0.0.1/33': allowed is: a prefix such as 192.0.2.0/24 or 2001:db8::/32")]
    [InlineData("""{ "Groups": { "Addresses": [ "192.0.2.1" ] } }""",
        "Coap:Server:Groups:Addresses:0 = '192.0.2.1': allowed is: address of a group, within 224.0.0.0/4 or ff00::/8")]
    [InlineData("""{ "Limits": "none" }""",
        "Coap:Server:Limits = 'none': it holds further keys, such as Coap:Server:Limits:Preset, and has no value itself.")]
    [InlineData("""{ "Transports": { "Shards": { "Count": 2 } } }""",
        "Coap:Server:Transports:Shards:Count: Coap:Server:Transports:Shards has a single value and nothing below it.")]
    [InlineData("""{ "Endpoints": [ { "Url": "coap://*" } ] }""",
        "Coap:Server:Endpoints:0: the items of Coap:Server:Endpoints are values and have nothing below them.")]
    public void A_wrong_value_is_named_with_its_key_and_what_is_allowed(string json, string expected) =>
        Assert.Equal([expected], Read(json).Findings.Errors);

    [Theory]
    [InlineData("""{ "Limits": { "Observe": { "MaxObserver": 5 } } }""",
        "Coap:Server:Limits:Observe:MaxObserver is not a known key. Did you mean Coap:Server:Limits:Observe:MaxObservers?")]
    [InlineData("""{ "Limts": { "MaxObservers": 5 } }""", "Coap:Server:Limts is not a known key. Did you mean Coap:Server:Limits?")]
    [InlineData("""{ "MaxObservers": 5 }""",
        "Coap:Server:MaxObservers is not a known key. Did you mean Coap:Server:Limits:Observe:MaxObservers?")]
    [InlineData("""{ "Parameters": { "NewcomerMemory": 5 } }""",
        "Coap:Server:Parameters:NewcomerMemory is not a known key. Did you mean Coap:Server:Limits:Peers:NewcomerMemory?")]
    [InlineData("""{ "Endpoint": [ "coap://*" ] }""", "Coap:Server:Endpoint is not a known key. Did you mean Coap:Server:Endpoints?")]
    [InlineData("""{ "Tls": { "Pasword": "x" } }""",
        "Coap:Server:Tls:Pasword is not a known key. Did you mean Coap:Server:Tls:Password?")]
    [InlineData("""{ "Tls": { "Curve25519": "x" } }""",
        "Coap:Server:Tls:Curve25519 is not a known key. Known are Certificate, Key, Password, Authorities, Crl, "
            + "Revocation, ClientCertificates.")]
    public void A_key_that_is_not_known_is_named_with_the_nearest_one(string json, string expected) =>
        Assert.Equal([expected], Read(json).Findings.UnknownKeys);

    [Fact]
    public void Missing_empty_and_null_values_leave_the_default()
    {
        CoapServerOptions options = Read(
            """{ "Transports": { "Shards": null }, "Limits": { "Observe": { "MaxObservers": "" } }, "Endpoints": [], "Groups": {} }""");
        Assert.Empty(options.Findings.Errors);
        Assert.Empty(options.Findings.UnknownKeys);
        Assert.Equal(new CoapLimits().Observe.MaxObservers, options.Limits.Observe.MaxObservers);
        Assert.Empty(options.Endpoints);
    }

    [Fact]
    public void A_list_may_be_a_single_text_as_in_an_environment_variable_which_overrides_the_array_of_a_file()
    {
        IConfiguration configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(
                [new("Coap:Server:Endpoints:0", "coap://*:3"), new("Coap:Server:Endpoints", "coap://*:1; coap+tcp://*:2")]).Build();
        CoapServerOptions options = new();
        ServerConfigurationKeys.Table.Read(configuration.GetSection("Coap:Server"), options, options.Findings);
        Assert.Equal(["coap://*:1", "coap+tcp://*:2"], options.Endpoints);
    }

    [Fact]
    public void Keys_of_a_whole_configuration_are_named_without_a_section()
    {
        IConfiguration configuration =
            new ConfigurationBuilder().AddInMemoryCollection([new("Transports:Shards", "65"), new("Shard", "1")]).Build();
        CoapServerOptions options = new();
        ServerConfigurationKeys.Table.Read(configuration, options, options.Findings);
        Assert.Equal(["Transports:Shards = '65': allowed is: whole number, 1 to 64"], options.Findings.Errors);
        Assert.Equal(["Shard is not a known key. Did you mean Transports:Shards?"], options.Findings.UnknownKeys);
    }

    [Fact]
    public void Peers_get_the_parameters_of_the_longest_prefix_and_otherwise_the_common_parameters()
    {
        CoapServerOptions options = Read(
            """
            {
              "Peers": [
                { "Prefixes": [ "10.0.0.0/8", "2001:db8::/32" ], "AckTimeout": "10s" },
                { "Prefixes": "10.1.0.0/16", "AckTimeout": "20s", "PreferredBlockSize": 64 }
              ]
            }
            """);
        Assert.Empty(options.Findings.Errors);
        Assert.Empty(options.Findings.UnknownKeys);
        options.Parameters = options.Parameters with { NStart = 7 };
        Assert.Throws<ArgumentException>("prefix", () => options.ForPeers("10.1.2.0/33", static parameters => parameters));
        options.ForPeers("10.1.2.0/24", parameters => parameters with { MaxRetransmit = 1 });
        options.Endpoint.ParametersOf = remote => remote.ToString().StartsWith("10.9.9.9:", Ordinal)
            ? CoapTransmissionParameters.Default
            : null;
        options.Peers.ApplyTo(options.Endpoint);

        Assert.Equal(options.Parameters with { AckTimeout = FromSeconds(10) }, Of("10.2.0.1"));
        Assert.Equal(options.Parameters with { AckTimeout = FromSeconds(10) }, Of("2001:db8::1"));
        Assert.Equal(options.Parameters with { AckTimeout = FromSeconds(20), PreferredBlockSize = 64 }, Of("10.1.0.1"));
        Assert.Equal(options.Parameters with { MaxRetransmit = 1 }, Of("10.1.2.3"));
        Assert.Equal(CoapTransmissionParameters.Default, Of("10.9.9.9"));
        Assert.Null(Of("192.0.2.1"));

        CoapTransmissionParameters? Of(string address) =>
            options.Endpoint.ParametersOf!(new IPEndPoint(IPAddress.Parse(address), 5683));
    }

    [Fact]
    public void Errors_in_peers_are_reported_once_with_their_item()
    {
        CoapServerOptions options =
            Read("""{ "Peers": [ { "AckTimeout": "10s" }, { "Prefixes": "10.0.0.0/8", "NStart": 0, "MaxChannels": 5 } ], "Peer": 1 }""");
        Assert.Equal(
            ["Coap:Server:Peers:0:Prefixes is empty. Give at least one prefix such as 192.0.2.0/24.",
                "Coap:Server:Peers:1:NStart = '0': allowed is: whole number, 1 to 65535"],
            options.Findings.Errors);
        Assert.Equal(2, options.Findings.UnknownKeys.Count());
        options.Findings.UnknownKeys.First().Begins("Coap:Server:Peers:1:MaxChannels is not a known key.");
        Assert.Equal("Coap:Server:Peer is not a known key. Did you mean Coap:Server:Peers?", options.Findings.UnknownKeys.Last());
        Assert.Equal(["Coap:Server:Peers = 'all': it is a list of items with keys of their own."],
            Read("""{ "Peers": "all" }""").Findings.Errors);
    }

    private static CoapServerOptions Read(string json)
    {
        using MemoryStream stream = new(System.Text.Encoding.UTF8.GetBytes($$"""{ "Coap": { "Server": {{json}} } }"""));
        IConfiguration configuration = new ConfigurationBuilder().AddJsonStream(stream).Build();
        CoapServerOptions options = new();
        ServerConfigurationKeys.Table.Read(configuration.GetSection("Coap:Server"), options, options.Findings);
        return options;
    }
}
