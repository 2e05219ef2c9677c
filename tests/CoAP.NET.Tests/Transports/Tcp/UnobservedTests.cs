using System.Collections.Concurrent;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Tcp.Linux;

namespace CoAP.NET.Tests.Transports.Tcp;

// Nothing that peers do ends as the exception of a task that nobody looked at. Tasks of other tests would be seen as well.
[Collection(AloneInTheProcess.Name)]
public class UnobservedTests : TlsTest
{
    private readonly ListLogger _log = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task No_task_ends_with_an_unobserved_exception_whatever_peers_do(bool tls)
    {
        ConcurrentQueue<string> unobserved = new();
        EventHandler<UnobservedTaskExceptionEventArgs> handler = (_, args) =>
        {
            string text = args.Exception.ToString();
            if (text.Contains("CoAP.NET.", Ordinal) && text.Contains("Transport", Ordinal))
            {
                unobserved.Enqueue(text);
            }
        };
        // What tests before this one left is none of its business.
        Collect();
        TaskScheduler.UnobservedTaskException += handler;
        try
        {
            await AbuseAsync(tls);
            Collect();
            Assert.True(unobserved.IsEmpty, string.Join(Environment.NewLine, unobserved));
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= handler;
        }
    }

    private static void Collect()
    {
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    private protected override AsyncContext MakeContext() => new() { Time = Clock, Log = _log };

    private async Task AbuseAsync(bool tls)
    {
        await (tls ? ListenWithTlsAsync() : ListenAsync());
        _log.Throws = true;
        Context.Limits.Connections.MaxSendQueueSize = 100_000;

        // Nothing, rubbish, a part of a handshake or of a frame; then a reset or an end.
        foreach (string hex in (string[])["", "ff", "ffffffffffffffffffffffff", "16030100", "1603010005010000010100", "2101"])
        {
            foreach (bool resets in (bool[])[false, true])
            {
                AsyncPeer peer = await AsyncPeer.ConnectAsync(Address);
                await peer.SendAsync(hex);
                if (resets)
                {
                    peer.Reset();
                }
                else
                {
                    await peer.DisposeAsync();
                }
            }
        }

        if (!tls)
        {
            for (int i = 0; i < 12; i++)
            {
                await Context.NextOpenedAsync();
            }
        }

        for (int way = 0; way < 6; way++)
        {
            AsyncPeer peer = tls ? await ConnectTlsPeerAsync() : await AsyncPeer.ConnectAsync(Address);
            CoapConnection connection = await Context.NextOpenedAsync();
            switch (way)
            {
                case 0:
                    // Its end is said while nobody reads it.
                    connection.Close(null);
                    break;
                case 1:
                    for (int i = 0; i < 100; i++)
                    {
                        connection.Send(AsyncContext.Frame(new byte[200_000]));
                    }

                    break;
                case 2:
                    connection.Send(AsyncContext.Frame(new byte[2_000_000]));
                    connection.Close(null);
                    break;
                case 3:
                    connection.Send(AsyncContext.Frame(new byte[2_000_000], isLast: true));
                    break;
                case 4:
                    await peer.Socket.SendAsync(Wire.Hex("170303ffff0102030405"));
                    break;
                default:
                    await peer.SendAsync("2101aa");
                    break;
            }

            peer.Reset();
        }

        await Transport.DisposeAsync();
        await UntilAsync(() => Context.Closes >= 6);
    }
}
