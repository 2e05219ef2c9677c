using CoAP.NET.Diagnostics;
using Server;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>
/// Every resource of samples/Server as somebody sees it who forges addresses: what goes to the victims beyond what each forged request paid
/// for. FORGED_SOURCES makes the last test longer.
/// </summary>
public sealed class VictimTests : StrangersTest
{
    private const int Free = 136;
    private readonly List<(long At, int Size)> _unpaid = [];
    private readonly HashSet<CoapToken> _answered = [];
    private readonly Random _random = new(7);
    private int _requestLength;
    private uint _next;

    [Fact]
    [Rfc("7252-11.3-1", "7641-7-1")]
    public async Task A_victim_gets_no_more_than_its_share_per_minute_whatever_is_requested_in_its_name()
    {
        CoapMessage[] requests = await StartAsync([CoapMethod.Get, CoapMethod.Put, CoapMethod.Post, CoapMethod.Delete]);
        GoOnHere();
        Assert.True(requests.Length > 100);
        for (int i = 0; i < 6000; i++)
        {
            Forge(requests[i % requests.Length], CoapAddress.FromIPv4(0xcb007105, (ushort)_random.Next(1, 65_536)));
            Clock.Advance(FromMilliseconds(20));
        }

        AssertBound(FromMinutes(1), 16 * 1024);

        // They were observers, so that the notifications were tried.
        Assert.True(Server.Counters[CoapCounter.Registrations] > 100);
        Assert.True(Server.Counters[CoapCounter.NotificationsSent] > 100);
        Assert.True(Server.Counters[CoapCounter.AmplificationRefused] > 100);

        // Nobody acknowledged anything: when nothing is forged any more it ends, once what slow handlers answer is out.
        Clock.Advance(FromMinutes(1));
        Assert.Equal(0, Server.Endpoint.Served.Count);
        Clock.Advance(FromMinutes(15));
        _unpaid.Clear();
        Clock.Advance(FromMinutes(1));
        Assert.Empty(_unpaid);
    }

    [Fact]
    [Rfc("7252-11.3-1", "7641-7-1")]
    public async Task All_victims_together_get_no_more_per_second_than_TotalBytesPerSecond()
    {
        Options.Limits.Amplification.TotalBytesPerSecond = 16 * 1024;
        CoapMessage[] requests = await StartAsync([CoapMethod.Get]);
        GoOnHere();
        for (int i = 0; i < 3000; i++)
        {
            Forge(requests[i % requests.Length], CoapAddress.FromIPv4(0x0a00_0000 + (uint)_random.Next(1 << 24), 5683));
            Clock.Advance(FromMilliseconds(5));
        }

        AssertBound(FromSeconds(1), 16 * 1024);
        Clock.Advance(FromSeconds(30));
        AssertBound(FromSeconds(1), 16 * 1024);
    }

    [Fact]
    [Rfc("7252-11.3-1")]
    public async Task Any_number_of_forged_sources_uses_the_same_memory()
    {
        int sources = CampaignSetting.Of("FORGED_SOURCES", 20000);
        Options.Limits.Peers.NewcomerMemory = 1024 * 1024;
        CoapMessage[] requests = await StartAsync([CoapMethod.Get]);
        GoOnHere();
        CoapMessage large = requests.Single(request => request.Type == CoapMessageType.NonConfirmable && request.Options.Observe is null
            && CoapDatagramSerializer.Default.Serialize(request).AsSpan().EndsWith(Wire.Hex("b56c61726765")));
        for (int i = 0; i < sources; i++)
        {
            Forge(large, new CoapAddress(0x2001_0db8_0000_0000 + (ulong)i, (ulong)_random.NextInt64(), 5683, 0));
            Clock.Advance(FromMilliseconds(1));
            _answered.Clear();
        }

        Assert.InRange(Server.Endpoint.Pipelines[0].Channels.All().Count, 1, 1024);
        Assert.Equal(16 * 1024 * 4 * 8, Server.Endpoint.Pipelines[0].Shard.Guard.Bytes);
        AssertBound(FromSeconds(1), 1024 * 1024);
    }

    // Slow handlers go on where the clock is advanced, so that nothing is sent while a request is forged. No asynchronous method can do
    // this for its caller, who has the context back when it returns.
    private static void GoOnHere() => SynchronizationContext.SetSynchronizationContext(null);

    private async Task<CoapMessage[]> StartAsync(CoapMethod[] methods)
    {
        PlugtestResources.MapTo(Server, Clock);
        await StartAsync();
        List<string> links = [];
        foreach (CoapLink link in CoapLinkFormat.Parse(Links()))
        {
            links.Add(link.Target);
        }

        Assert.Contains("/obs", links);
        Assert.Contains("/large", links);
        links.Add("/.well-known/core");
        Transport.OnSent = OnSent;
        return [.. links.SelectMany(path => methods.SelectMany(method => RequestsFor(path, method)))];
    }

    // Block by block, as a stranger reads them.
    private string Links()
    {
        List<byte> text = [];
        CoapAddress reader = CoapAddress.FromIPv4(0x0909_0909, 1);
        for (int number = 0; ; number++)
        {
            CoapMessage request = new(CoapMethod.Get)
            {
                Type = CoapMessageType.NonConfirmable,
                MessageId = (ushort)number,
                Token = new CoapToken([1])
            };
            request.Options.Add(OptionNumber.UriPath, ".well-known"u8);
            request.Options.Add(OptionNumber.UriPath, "core"u8);
            request.Options.Block2 = new BlockValue(number, false, 2);
            CoapMessage part = Read(Assert.Single(ExchangeAll(reader, Wire.Hex(CoapDatagramSerializer.Default.Serialize(request)))));
            text.AddRange(part.Payload.ToArray());
            if (part.Options.Block2 is not { More: true })
            {
                return Encoding.UTF8.GetString([.. text]);
            }
        }
    }

    private static IEnumerable<CoapMessage> RequestsFor(string path, CoapMethod method)
    {
        foreach (CoapMessageType type in new[] { CoapMessageType.NonConfirmable, CoapMessageType.Confirmable })
        {
            foreach (bool observes in method == CoapMethod.Get ? [false, true] : new[] { false })
            {
                CoapMessage request = new(method) { Type = type };
                if (observes)
                {
                    request.Options.Observe = 0;
                }

                foreach (string segment in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
                {
                    request.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(segment));
                }

                if (method == CoapMethod.Put || method == CoapMethod.Post)
                {
                    request.Payload = new byte[40];
                }

                yield return request;
            }
        }
    }

    private void Forge(CoapMessage request, CoapAddress victim)
    {
        request.MessageId = (ushort)_next;
        request.Token = new CoapToken(BitConverter.GetBytes(_next++));
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(request);
        _requestLength = bytes.Length;
        Transport.Receive(victim, bytes);
        if (_next % 8 == 0)
        {
            // A duplicate is paid for by itself.
            Transport.Receive(victim, bytes);
        }

        _requestLength = 0;
        Transport.TakeAll();
    }

    private void OnSent(CoapAddress victim, byte[] bytes)
    {
        CoapMessage message = CoapDatagramSerializer.Default.Deserialize((ReadOnlySpan<byte>)bytes);
        bool isFirst;
        lock (_answered)
        {
            isFirst = message.Code == CoapCode.Empty || _answered.Add(message.Token);
        }

        // Within the request, or the one response that comes later.
        bool isPaid = _requestLength > 0 ? bytes.Length <= Math.Max(Free, 3 * _requestLength) : isFirst && bytes.Length <= Free;
        if (!isPaid)
        {
            lock (_unpaid)
            {
                _unpaid.Add((Clock.GetElapsedTime(0).Ticks, bytes.Length));
            }
        }
    }

    private void AssertBound(TimeSpan period, int bytes)
    {
        Assert.NotEmpty(_unpaid);
        int last = 0;
        long sum = 0;
        long most = 0;
        for (int first = 0; first < _unpaid.Count; first++)
        {
            for (; last < _unpaid.Count && _unpaid[last].At < _unpaid[first].At + period.Ticks; last++)
            {
                sum += _unpaid[last].Size;
            }

            most = Math.Max(most, sum);
            sum -= _unpaid[first].Size;
        }

        Assert.InRange(most, 1, bytes);
    }
}
