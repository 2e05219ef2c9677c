using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Testing;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Cookies, and what is not taken from strangers.</summary>
public sealed class CookieTests
{
    private static readonly TimeSpan s_lifetime = TimeSpan.FromMinutes(2);
    private static readonly byte[] s_address = [.. new byte[20], 1, 2];

    [Theory]
    [InlineData(0, true)]
    [InlineData(119, true)]
    [InlineData(239, true)]
    [InlineData(240, false)]
    [InlineData(10_000, false)]
    public void A_cookie_holds_between_once_and_twice_the_lifetime_of_a_key(int seconds, bool isAccepted)
    {
        VirtualClock clock = new();
        CookieMint mint = new(new VirtualRandom(5), clock, s_lifetime);
        byte[] hello = WithCookie(mint);
        Assert.True(Accepts(mint, hello, s_address));
        Assert.False(Accepts(mint, hello, [.. new byte[20], 1, 3]));

        // Others ask as well, or nobody does.
        CookieMint busy = new(new VirtualRandom(5), clock, s_lifetime);
        byte[] busyHello = WithCookie(busy);
        for (int i = 0; i < seconds; i += 60)
        {
            clock.Advance(TimeSpan.FromSeconds(Math.Min(60, seconds - i)));
            _ = Accepts(busy, hello, s_address);
        }

        Assert.Equal(isAccepted, Accepts(mint, hello, s_address));
        Assert.Equal(isAccepted, Accepts(busy, busyHello, s_address));
    }

    [Fact]
    public void A_cookie_is_of_its_ClientHello_only()
    {
        CookieMint mint = new(new VirtualRandom(5), new VirtualClock(), s_lifetime);
        byte[] hello = WithCookie(mint);
        for (int i = 13 + 12; i < 13 + 12 + 34; i++)
        {
            byte[] other = [.. hello];
            other[i] ^= 1;
            Assert.False(Accepts(mint, other, s_address));
        }
    }

    [Fact]
    public void To_answer_a_stranger_takes_nothing_from_the_heap()
    {
        CookieMint mint = new(CoapRandomSource.Secure, TimeProvider.System, s_lifetime);
        byte[] hello = WithCookie(mint);
        byte[] answer = new byte[CookieMint.RequestLength];
        long allocated = Allocations.Least(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                Assert.True(ClientHello.TryRead(hello, out ClientHello read));
                _ = mint.Accepts(read, s_address);
                mint.WriteRequest(read, s_address, answer);
            }
        });

        Assert.Equal(0, allocated);
    }

    [Fact]
    public void Unprotected_records_of_strangers_neither_end_nor_stall_a_handshake()
    {
        using ServerBench bench = new();
        DtlsPath path = ServerBench.Path(1);
        int sent = 0;
        bench.LosesOfServer = bytes =>
        {
            // Once the handshake has begun somebody else writes in the name of the client.
            if (++sent == 2)
            {
                foreach (string hex in new[]
                {
                    "15fefd0000fffffffffff000020228",
                    "16fefd0000fffffffffff1000d17000001000100000000000100",
                    "16fefd0000fffffffffff2000d14000001000100000000000100",
                    "17fefd0000fffffffffff3000100",
                    "16fefd0000fffffffffff4000c0b0000ff0005000000000000",
                })
                {
                    bench.Server.Receive(path, Convert.FromHexString(hex));
                }
            }

            return false;
        };
        BenchClient client = bench.Connect(1);
        Assert.Equal(HandshakeStatus.Done, client.Handshake.Status);
        Assert.True(client.Session!.Send([1]));
        Assert.Single(bench.Received);
        Assert.Empty(bench.Failures);
    }

    // The second ClientHello of a client, with the cookie that a mint makes for it.
    private static byte[] WithCookie(CookieMint mint)
    {
        using ServerBench bench = new();
        byte[] hello = bench.Connect(1).Sent[1];
        Assert.True(ClientHello.TryRead(hello, out ClientHello read) && read.Cookie.Length > 0);
        byte[] request = new byte[CookieMint.RequestLength];
        mint.WriteRequest(read, s_address, request);
        int cookie = 13 + 12 + read.BeforeCookie.Length + 1;
        request.AsSpan(^read.Cookie.Length..).CopyTo(hello.AsSpan(cookie));
        return hello;
    }

    private static bool Accepts(CookieMint mint, byte[] hello, ReadOnlySpan<byte> address) =>
        ClientHello.TryRead(hello, out ClientHello read) && mint.Accepts(read, address);
}
