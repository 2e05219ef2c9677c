namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Cookies, and what is not taken from strangers.</summary>
public sealed class CookieTests
{
    private static readonly TimeSpan s_lifetime = FromMinutes(2);
    /// <summary>That of a client.</summary>
    internal static readonly byte[] Address = [.. new byte[20], 1, 2];

    [Theory]
    [InlineData(0, true)]
    [InlineData(119, true)]
    [InlineData(239, true)]
    [InlineData(240, false)]
    [InlineData(10_000, false)]
    public void A_cookie_is_valid_between_once_and_twice_the_lifetime_of_a_key(int seconds, bool isAccepted)
    {
        VirtualClock clock = new();
        CookieIssuer mint = new(new VirtualRandom(5), clock, s_lifetime);
        byte[] hello = WithCookie(mint);
        Assert.True(Accepts(mint, hello, Address));
        Assert.False(Accepts(mint, hello, [.. new byte[20], 1, 3]));

        // Others ask as well, or nobody does.
        CookieIssuer busy = new(new VirtualRandom(5), clock, s_lifetime);
        byte[] busyHello = WithCookie(busy);
        for (int i = 0; i < seconds; i += 60)
        {
            clock.Advance(FromSeconds(Math.Min(60, seconds - i)));
            _ = Accepts(busy, hello, Address);
        }

        Assert.Equal(isAccepted, Accepts(mint, hello, Address));
        Assert.Equal(isAccepted, Accepts(busy, busyHello, Address));
    }

    [Fact]
    public void A_cookie_is_valid_for_its_ClientHello_only()
    {
        CookieIssuer mint = new(new VirtualRandom(5), new VirtualClock(), s_lifetime);
        byte[] hello = WithCookie(mint);
        for (int i = 13 + 12; i < 13 + 12 + 34; i++)
        {
            byte[] other = [.. hello];
            other[i] ^= 1;
            Assert.False(Accepts(mint, other, Address));
        }
    }

    [Fact]
    public void Answering_an_unknown_client_allocates_no_memory()
    {
        Allocations.NeedOptimizedCode();
        CookieIssuer mint = new(CoapRandomSource.Secure, TimeProvider.System, s_lifetime);
        byte[] hello = WithCookie(mint);
        byte[] answer = new byte[CookieIssuer.RequestLength];
        long allocated = Allocations.Least(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                Assert.True(ClientHello.TryRead(hello, out ClientHello read));
                _ = mint.Accepts(read, Address);
                _ = mint.TryWriteRequest(read, Address, answer);
            }
        });

        Assert.Equal(0, allocated);
    }

    [Fact]
    public void Unprotected_records_of_other_senders_neither_end_nor_stall_a_handshake()
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

    /// <summary>The second ClientHello of a client, with the cookie that a mint makes for it.</summary>
    internal static byte[] WithCookie(CookieIssuer mint)
    {
        using ServerBench bench = new();
        byte[] hello = bench.Connect(1).Sent[1];
        Assert.True(ClientHello.TryRead(hello, out ClientHello read) && read.Cookie.Length > 0);
        byte[] request = new byte[CookieIssuer.RequestLength];
        _ = mint.TryWriteRequest(read, Address, request);
        int cookie = 13 + 12 + read.BeforeCookie.Length + 1;
        request.AsSpan(^read.Cookie.Length..).CopyTo(hello.AsSpan(cookie));
        return hello;
    }

    /// <summary>A first ClientHello with a cookie: the second one.</summary>
    internal static byte[] With(byte[] first, ReadOnlySpan<byte> cookie)
    {
        Assert.True(ClientHello.TryRead(first, out ClientHello read));
        int at = 13 + 12 + read.BeforeCookie.Length;
        byte[] hello = [.. first.AsSpan(0, at), (byte)cookie.Length, .. cookie, .. first.AsSpan(at + 1)];

        // The number of the record and of the message, and the three lengths.
        hello[10] = 1;
        hello[18] = 1;
        foreach ((int offset, int length) in new[] { (11, hello.Length - 13), (15, hello.Length - 25), (23, hello.Length - 25) })
        {
            System.Buffers.Binary.BinaryPrimitives.WriteUInt16BigEndian(hello.AsSpan(offset), (ushort)length);
        }

        return hello;
    }

    internal static bool Accepts(CookieIssuer mint, byte[] hello, ReadOnlySpan<byte> address) =>
        ClientHello.TryRead(hello, out ClientHello read) && mint.Accepts(read, address);
}
