using CoAP.NET.AspNetCore.Proxying;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>Attempts to reach through a proxy what nobody may reach.</summary>
public sealed class OpenRelayTests : ProxyTest
{
    // Port is that of a server at the loopback address, which hears of what gets through.
    private static readonly string[] s_hosts =
    [
        // Loopback.
        "127.0.0.1", "127.0.0.2", "127.1", "127.0.0.1.", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.000.000.001",
        "%31%32%37.0.0.1", "127%2E0.0.1", "localhost", "LOCALHOST", "localhost.", "%5B::1%5D", "%5B0:0:0:0:0:0:0:1%5D",
        "%5B::ffff:127.0.0.1%5D", "%5B::ffff:7f00:1%5D", "%5B::127.0.0.1%5D", "%5B64:ff9b::127.0.0.1%5D", "%5B2002:7f00:1::1%5D",
        "%5B::ffff:0:127.0.0.1%5D", "%5B2001:0:7f00:1::%5D", "%5B2001:db8::5efe:127.0.0.1%5D", "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1",
        "127%E3%80%820%E3%80%820%E3%80%821", "%E2%91%A0%E2%91%A1%E2%91%A6.0.0.1",

        // This host, link-local, private, reserved, groups.
        "0.0.0.0", "0", "%5B::%5D", "169.254.169.254", "%5Bfe80::1%5D", "%5Bfe80::1%25lo%5D", "%5Bfe80::1%2525lo%5D", "10.0.0.1",
        "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1", "192.0.0.8", "198.18.0.1", "240.0.0.1", "255.255.255.255",
        "%5Bfc00::1%5D", "%5Bfd12:3456::1%5D", "%5Bfec0::1%5D", "%5B64:ff9b:1::1%5D", "%5B100::1%5D", "224.0.1.187", "239.1.2.3",
        "%5Bff02::fd%5D", "%5Bff05::fd%5D", "%5Bff0e::fd%5D",

        // Who seems to be somebody else.
        "sensor.example.com@127.0.0.1", "sensor.example.com%40127.0.0.1", "127.0.0.1%23.example.com", "127.0.0.1%00.example.com",
        "127.0.0.1%2F.example.com", "127.0.0.1%5C.example.com", "127.0.0.1%0D%0A.example.com", "127.0.0.1%20",
    ];

    // Other protocols, and other ways to write the beginning of a target.
    private static readonly string[] s_targets =
    [
        "http://127.0.0.1:{0}/seen", "https://127.0.0.1:{0}/seen", "file:///etc/passwd", "ftp://127.0.0.1:{0}/", "gopher://127.0.0.1:{0}/",
        "ldap://127.0.0.1:{0}/", "javascript:alert(1)", "data:text/plain,x", "coap:127.0.0.1:{0}/seen", "coap:/127.0.0.1:{0}/seen",
        "coap:///127.0.0.1:{0}/seen", "//127.0.0.1:{0}/seen", "127.0.0.1:{0}/seen", "coap%3A%2F%2F127.0.0.1:{0}/seen",
        "coap:%2F%2F127.0.0.1:{0}/seen", "coap://%2F127.0.0.1:{0}/seen", "coap:%5C%5C127.0.0.1:{0}/seen", "coap://127.0.0.1:0/seen",
        "coap://127.0.0.1:99999/seen", "coap://127.0.0.1:-1/seen", "coap://:{0}/seen", "coap+tcp://127.0.0.1:{0}/seen",
        "coap+ws://127.0.0.1:{0}/seen", "COAP://127.0.0.1:{0}/seen", "coap://sensor.example.com/..%2F..%2Fcoap://127.0.0.1:{0}/seen",
    ];

    [Fact]
    public async Task A_forbidden_address_is_refused_in_every_spelling_by_an_open_proxy()
    {
        // It resolves every name to the loopback address, as a name server of the attacker would.
        await StartProxyAsync(
            proxy =>
            {
                proxy.Targets.AllowHost("*");
                proxy.AllowSecuredTargetsToAnyone = true;
                proxy.Timeout = FromMinutes(1);
                proxy.ConfigureClient = endpoint => endpoint.Transports.ResolveHost = (_, _) =>
                    Task.FromResult<IPAddress[]>([IPAddress.Loopback, IPAddress.IPv6Loopback]);
            },
            allow: false);
        string port = Origin.Split(':')[^1];
        string[] targets =
        [
            .. s_hosts.SelectMany(host => (string[])["coap", "coaps", "coap+tcp"], (host, scheme) => $"{scheme}://{host}:{port}/seen"),
            .. s_targets.Select(target => target.Replace("{0}", port, Ordinal)),
        ];
        List<string> through = [];
        foreach (string target in targets)
        {
            using HttpResponseMessage response = await SendRawAsync($"/hc/{target}");

            // 502: it has no transport for coaps, which is found before a name is resolved.
            bool isKnown = response.StatusCode is HttpStatusCode.Forbidden or HttpStatusCode.BadRequest
                || (response.StatusCode == HttpStatusCode.BadGateway && target.StartsWith("coaps:", Ordinal));
            if (!isKnown)
            {
                through.Add($"{target}: {(int)response.StatusCode}");
            }
        }

        Assert.True(through.Count == 0, string.Join('\n', through));
        Assert.Empty(Seen);
    }

    [Fact]
    public async Task A_host_name_is_checked_by_its_address_for_each_request_and_observation()
    {
        int asked = 0;
        await StartProxyAsync(
            proxy =>
            {
                proxy.Targets.AllowHost("sensor.example.com:*").AllowNetwork("127.0.0.1/32");
                proxy.ConfigureClient = endpoint => endpoint.Transports.ResolveHost = (_, _) => Task.FromResult<IPAddress[]>(
                    [Interlocked.Increment(ref asked) == 1 ? IPAddress.Loopback : IPAddress.Parse("127.0.0.2")]);
            },
            allow: false);
        string target = $"/hc/coap://sensor.example.com:{Origin.Split(':')[^1]}/seen";
        using HttpResponseMessage first = await SendAsync("GET", target);
        using HttpResponseMessage second = await SendAsync("GET", target);
        using HttpResponseMessage change = await SendAsync("PUT", target, new ByteArrayContent([1]));
        using HttpResponseMessage events =
            await SendAsync("GET", target, change: request => request.Headers.Accept.Add(new("text/event-stream")));

        Assert.Equal(
            [HttpStatusCode.OK, HttpStatusCode.Forbidden, HttpStatusCode.Forbidden, HttpStatusCode.Forbidden],
            ((HttpResponseMessage[])[first, second, change, events]).Select(response => response.StatusCode));
        Assert.Single(Seen);
    }

    [Fact]
    public async Task Refused_targets_are_counted_by_name_and_by_address()
    {
        CoapHttpCounters? counters = null;
        await StartProxyAsync(
            proxy =>
            {
                counters = proxy.Counters;
                proxy.Targets.AllowHost("*.example.com");
                proxy.ConfigureClient = endpoint => endpoint.Transports.ResolveHost = (_, _) =>
                    Task.FromResult<IPAddress[]>([IPAddress.Loopback]);
            },
            allow: false);
        using HttpResponseMessage byName = await SendAsync("GET", "/hc/coap://elsewhere.example.org/");
        using HttpResponseMessage byAddress = await SendAsync("GET", "/hc/coap://sensor.example.com/");

        Assert.Equal((2, 2), (counters!.TargetsDenied, counters.Requests));

        // Whoever is refused is not told which address a name has.
        Assert.Equal(await byName.Content.ReadAsStringAsync(), await byAddress.Content.ReadAsStringAsync());
    }

    [Fact]
    public async Task A_location_of_a_device_is_translated_and_not_followed()
    {
        await StartProxyAsync();
        using HttpResponseMessage response = await SendAsync("POST", $"/hc/{Origin}/code/2.01?location=/seen");
        Assert.Equal((HttpStatusCode.Created, $"/hc/{Origin}/seen"), (response.StatusCode, response.Headers.Location!.OriginalString));
        Assert.Empty(Seen);
    }

    // As it is written: HttpClient and Uri would make something else of it.
    private async Task<HttpResponseMessage> SendRawAsync(string target)
    {
        using System.Net.Sockets.TcpClient connection = new();
        await connection.ConnectAsync(IPAddress.Loopback, Port).WaitAsync(Hang);
        System.Net.Sockets.NetworkStream stream = connection.GetStream();
        await stream.WriteAsync(Encoding.ASCII.GetBytes(
            $"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"));
        using StreamReader reader = new(stream);
        string line = await reader.ReadLineAsync().WaitAsync(Hang) ?? "";
        return new HttpResponseMessage((HttpStatusCode)int.Parse(line.Split(' ')[1], System.Globalization.CultureInfo.InvariantCulture));
    }
}
