namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>Handshakes that begin while their endpoint stops, on another thread.</summary>
public sealed class ContextEndTests
{
    private const int Rounds = 500;

    [Fact]
    public void A_handshake_that_begins_while_its_context_ends_is_whole_or_refused()
    {
        HandshakeSettings settings = new() { IsServer = true, Suites = [CipherSuite.All[0]] };
        int made = 0;
        for (int round = 0; round < Rounds; round++)
        {
            HandshakeContext context = new(settings);
            bool hasEnded = false;
            bool isRefused = false;
            bool isOfFreedMemory = false;
            using Barrier begin = new(2);
            using ManualResetEventSlim isMade = new();
            Thread maker = new(Make);
            maker.Start();
            begin.SignalAndWait();
            if (round % 2 == 1)
            {
                // On a busy machine the other thread might make none in any round.
                Assert.True(isMade.Wait(FromMinutes(2)));
            }

            Thread.SpinWait(round * 20);
            context.Dispose();
            Volatile.Write(ref hasEnded, true);
            maker.Join();
            Assert.False(isOfFreedMemory, "A handshake was made after its context had ended.");
            Assert.True(isRefused);

            void Make()
            {
                begin.SignalAndWait();
                while (!isRefused && !isOfFreedMemory)
                {
                    bool isAfterEnd = Volatile.Read(ref hasEnded);
                    try
                    {
                        nint ssl = context.NewSsl();
                        made++;
                        isMade.Set();
                        if (!isAfterEnd)
                        {
                            LibSsl.SSL_free(ssl);
                        }

                        // Otherwise to free it would end the process.
                        isOfFreedMemory = isAfterEnd;
                    }
                    catch (ObjectDisposedException)
                    {
                        isRefused = true;
                    }
                }
            }
        }

        Assert.NotEqual(0, made);
    }

    [Fact]
    public void What_began_before_its_context_ended_is_finished_and_nothing_begins_after()
    {
        byte[] key = "secretPSK"u8.ToArray();
        using HandshakePair pair = new(
            new HandshakeSettings { IsServer = false, Suites = [CipherSuite.All[0]] },
            new HandshakeSettings { IsServer = true, Suites = [CipherSuite.All[0]] },
            "user",
            key)
        {
            Keys = { ["user"] = key },
        };
        pair.EndClientContext();

        pair.Client.Start(null);
        pair.Run();

        Assert.Equal((HandshakeStatus.Done, null), (pair.Client.Status, pair.Client.Failure));
        Assert.Throws<ObjectDisposedException>(() => pair.BeginAnotherClient());
    }
}
