using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>What one real host can hold that has many ports, or one forger who names the ports of a victim.</summary>
public sealed class SourceQuotaTests : StrangersTest
{
    private static readonly byte[] s_body = new byte[1000];

    [Fact]
    [Rfc("7252-11.3-1")]
    public async Task A_host_that_verifies_all_its_ports_occupies_only_MaxVerifiedPerSource_protected_places()
    {
        // 64 newcomers.
        Options.Limits.Peers.NewcomerMemory = 64 * 1024;
        Options.Limits.Peers.MaxVerifiedPerSource = 8;
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        await StartWithBigAsync();
        Verify(Peer);
        CoapChannel honest = Assert.Single(Channels());
        for (int port = 1; port <= 400; port++)
        {
            Verify(CoapAddress.FromIPv4(0xcb007105, (ushort)port));
        }

        Assert.InRange(Channels().Count, 64, 64 + 8 + 1);
        Assert.Equal(9, Channels().Count(channel => channel.IsProtected));
        Assert.Contains(honest, Channels());

        // Beyond its share a peer is believed all the same.
        CoapChannel last = Assert.Single(Channels(), channel => channel.Remote.Port == 400);
        Assert.True(last is { IsVerified: true, IsProtected: false });
        Assert.Equal(1000, Read(Assert.Single(ExchangeAll(last.Remote, Big(0x4000)))).Payload.Length);
    }

    [Fact]
    public async Task A_protected_place_is_freed_when_its_verification_expires()
    {
        Options.Limits.Peers.NewcomerMemory = 64 * 1024;
        Options.Limits.Peers.MaxVerifiedPerSource = 1;
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        Options.Limits.Peers.VerificationLifetime = FromMinutes(10);
        await StartWithBigAsync();
        CoapAddress first = CoapAddress.FromIPv4(0xcb007105, 1);
        CoapAddress second = CoapAddress.FromIPv4(0xcb007105, 2);
        Verify(first);
        Verify(second);
        Assert.Equal(first, Assert.Single(Channels(), channel => channel.IsProtected).Remote);
        Clock.Advance(FromMinutes(11));
        Assert.Equal(64, Read(Assert.Single(ExchangeAll(first, Big(0x4000)))).Payload.Length);
        Verify(second);
        Assert.Equal(second, Assert.Single(Channels(), channel => channel.IsProtected).Remote);
    }

    [Fact]
    [Rfc("7641-7-1")]
    public async Task Forged_registrations_for_an_address_use_only_the_share_of_that_address()
    {
        Options.Limits.Observe.MaxUnverifiedObserversPerSource = 2;
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        Server.MapGet("/obs", () => "x").Observable();
        await StartWithBigAsync();
        Assert.True(IsRegistered(Victim(1), "01"));
        Assert.True(IsRegistered(Victim(2), "01"));
        Assert.True(IsRegistered(Victim(2), "01"));
        Assert.False(IsRegistered(Victim(3), "01"));
        Assert.False(IsRegistered(Victim(2), "02"));
        Assert.True(IsRegistered(CoapAddress.FromIPv4(0xcb007106, 1), "01"));
        Assert.Equal(3, Server.ObserverCount);
        Assert.Equal(2, Server.Counters[CoapCounter.RegistrationsRefused]);
        ExchangeAll(Victim(1), "51017001016101536f6273");
        Assert.Equal(2, Server.ObserverCount);
        Assert.True(IsRegistered(Victim(3), "01"));

        // Who is verified is not counted, even at the same address.
        Verify(Victim(4));
        Assert.True(IsRegistered(Victim(4), "01"));
    }

    [Theory]
    [Rfc("9175-2.4-2")]
    [InlineData(0, 64)]
    [InlineData(1_000_000, 1000)]
    public async Task A_separate_response_is_Confirmable_and_has_no_Echo_option(int bytesPerMinute, int payload)
    {
        Options.Limits.Amplification.SourceBytesPerMinute = bytesPerMinute;
        TaskCompletionSource<CoapResult> slow = new();
        Server.MapGet("/slow", async (CoapRequestContext _) => await slow.Task.ConfigureAwait(false));
        await StartAsync();
        Transport.Receive(Peer, "4101000142b4736c6f77");
        Clock.Advance(FromSeconds(1));
        Transport.HasSent("60000001");
        slow.SetResult(new CoapResult(CoapCode.Content, s_body));
        CoapMessage response = Read(Assert.Single(await NextSentAsync()));
        Assert.Equal((CoapMessageType.Confirmable, payload), (response.Type, response.Payload.Length));
        Assert.Null(response.OptionsToRead?.Echo);
    }

    [Fact]
    [Rfc("7252-11.3-1")]
    public async Task A_client_without_Echo_fetches_the_response_to_a_POST_in_small_blocks()
    {
        byte[] given = [.. Enumerable.Range(0, 1000).Select(i => (byte)(i * 3))];
        int posts = 0;
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        Server.MapPost("/big", () =>
        {
            posts++;
            return CoapResults.Changed(CoapContent.Binary(given));
        });
        await StartAsync();
        List<byte> got = [];
        for (int number = 0; ; number++)
        {
            string block = number == 0 ? string.Empty : number < 16 ? $"c1{(number << 4) | 2:x2}" : $"c2{(number << 4) | 2:x4}";
            string answer = Assert.Single(ExchangeAll(Peer, $"4102{0x100 + number:x4}77b3626967{block}"));
            Assert.InRange(answer.Length / 2, 1, 136);
            CoapMessage part = Read(answer);
            Assert.Equal(CoapCode.Changed, part.Code);
            got.AddRange(part.Payload.ToArray());
            if (!part.Options.Block2!.Value.More)
            {
                break;
            }
        }

        Assert.Equal(given, got);
        Assert.Equal(1, posts);
    }

    private static CoapAddress Victim(int port) => CoapAddress.FromIPv4(0xcb007105, (ushort)port);

    private int _messageId = 0x5000;

    private bool IsRegistered(CoapAddress peer, string token) =>
        Read(Assert.Single(ExchangeAll(peer, $"5101{_messageId++:x4}{token}60536f6273"))).OptionsToRead?.Observe is not null;

    private List<CoapChannel> Channels() => Server.Endpoint.Pipelines[0].Channels.All();

    private void Verify(CoapAddress peer)
    {
        string echo = EchoOf(Assert.Single(ExchangeAll(peer, Big(_messageId++))));
        Assert.Equal(1000, Read(Assert.Single(ExchangeAll(peer, Big(_messageId++, echo)))).Payload.Length);
    }

    private async Task StartWithBigAsync()
    {
        CoapResult big = new(CoapCode.Content, s_body);
        Server.MapGet("/big", () => big);
        await StartAsync();
    }
}
