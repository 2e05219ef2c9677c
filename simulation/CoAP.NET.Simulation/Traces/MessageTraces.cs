using System.Reflection;
using CoAP.NET.Dtls;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Simulation.Traces;

/// <summary>What a thread of a server enters, in order, for messages that the pages of contributors follow.</summary>
internal static class MessageTraces
{
    // The first messages make what later ones find: the peer, tables, buffers.
    private const int Before = 20;
    private const int Traces = 9;

    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();

    // Uri-Path: t, alone and behind Observe: 0.
    private static readonly byte[] s_path = [0xb1, (byte)'t'];
    private static readonly byte[] s_observe = [0x60, 0x51, (byte)'t'];

    // On a busy machine nothing is sent twice or acknowledged apart from its answer.
    private static readonly CoapTransmissionParameters s_patient = CoapTransmissionParameters.Default with
    {
        AckTimeout = TimeSpan.FromMinutes(2),
        PiggybackWindow = TimeSpan.FromMinutes(1),
    };

    /// <summary>Traces a Confirmable GET over UDP that a handler answers at once.</summary>
    /// <returns>For each phase, the full names of the types that the thread enters and entered in no phase before.</returns>
    public static IReadOnlyList<IReadOnlyList<string>> Get() => Run(nameof(RunGet));

    /// <summary>Traces a PUT of three blocks over DTLS; each block is a phase.</summary>
    /// <inheritdoc cref="Get"/>
    public static IReadOnlyList<IReadOnlyList<string>> Put() => Run(nameof(RunPut));

    /// <summary>
    /// Traces a Confirmable notification over UDP: the call that reports a change, the run of the handler, the acknowledgement.
    /// </summary>
    /// <inheritdoc cref="Get"/>
    public static IReadOnlyList<IReadOnlyList<string>> Notification() => Run(nameof(RunNotification));

    public static int[][] RunGet() => GetAsync().GetAwaiter().GetResult();

    public static int[][] RunPut() => PutAsync().GetAwaiter().GetResult();

    public static int[][] RunNotification() => NotifyAsync().GetAwaiter().GetResult();

    private static string[][] Run(string method)
    {
        (IReadOnlyDictionary<string, byte[]> libraries, string[] types) =
            CallTracer.Rewrite(
            [
                typeof(CoapMessage).Assembly.Location, typeof(CoapServer).Assembly.Location, typeof(CoapDtlsOptions).Assembly.Location,
            ]);
        int[][] phases = new LibraryCopy(libraries).Bind<Func<int[][]>>(typeof(MessageTraces), method)();
        HashSet<int> seen = [];
        return [.. phases.Select(order => Enumerable.Range(0, types.Length).Where(type => order[type] > 0).OrderBy(type => order[type])
            .Where(seen.Add).Select(type => types[type]).ToArray())];
    }

    private static async Task<int[][]> GetAsync()
    {
        CallRecord record = new(1);
        int receiver = 0;

        // Without time there is no timer that is due.
        await using CoapServer server = new(new CoapEndpointOptions { TimeProvider = new VirtualClock() });
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/t", _ =>
        {
            receiver = Environment.CurrentManagedThreadId;
            return CoapResults.Text("21.5");
        });
        await server.StartAsync();
        using DatagramPeer client = new(server);
        for (int i = 0; i < Before + Traces; i++)
        {
            record.Begin(receiver);
            await client.GetAsync(s_path);
            await client.SyncAsync();
            End(record, 0, i);
        }

        return [record.OrderOf(0)];
    }

    private static async Task<int[][]> PutAsync()
    {
        const int blocks = 3;
        CallRecord record = new(blocks);
        int receiver = 0;
        CoapDtlsServerOptions keys = new() { PskStore = new CoapPskDictionary { { "device", s_key } } };
        await using CoapServer server = new(
            new CoapEndpointOptions { TimeProvider = new VirtualClock() }.UseDtls(new CoapDtlsOptions { Server = keys }));
        server.Listen("coaps://127.0.0.1:0");
        server.MapPut("/t", request =>
        {
            receiver = Environment.CurrentManagedThreadId;
            return request.Payload.Length == blocks * 1024 ? CoapResults.Changed() : CoapResults.BadRequest("incomplete");
        });
        await server.StartAsync();
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = s_patient }
            .UseDtls(new CoapDtlsOptions { Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential("device", s_key) } }));
        string uri = server.LocalEndpoints[0].Origin();
        for (int i = 0; i < Before + Traces; i++)
        {
            for (int block = 0; block < blocks; block++)
            {
                CoapRequest request = new(CoapMethod.Put, $"{uri}/t") { Content = CoapContent.Binary(new byte[1024]) };
                request.Options.Block1 = new BlockValue(block, more: block < blocks - 1, 6);
                record.Begin(receiver);
                CoapResponse response = await client.SendAsync(request);
                if (response.Code != (block < blocks - 1 ? CoapCode.Continue : CoapCode.Changed))
                {
                    throw new InvalidOperationException($"Block {block} got {response.Code}.");
                }

                await client.PingAsync(uri);
                End(record, block, i);
            }
        }

        return [.. Enumerable.Range(0, blocks).Select(record.OrderOf)];
    }

    private static async Task<int[][]> NotifyAsync()
    {
        // The ping that waits for the thread, and what the page shows.
        const int ping = 0;
        const int call = 1;
        const int run = 2;
        const int acknowledgement = 3;
        CallRecord record = new(acknowledgement + 1);
        int receiver = 0;
        await using CoapServer server = new(new CoapEndpointOptions { Parameters = s_patient });
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/t", _ =>
        {
            receiver = Environment.CurrentManagedThreadId;
            return CoapResults.Text("21.5");
        }).Observable(observe => observe.Confirmable = true);
        await server.StartAsync();
        using DatagramPeer observer = new(server);
        for (int i = 0; i < Before + Traces; i++)
        {
            await observer.GetAsync(s_path);
            record.Begin(receiver);
            await observer.SyncAsync();
            End(record, ping, i);
        }

        await observer.GetAsync(s_observe);

        for (int i = 0; i < (Before + Traces) * acknowledgement; i++)
        {
            // One at a time: the call and the run are on two threads at once.
            int phase = call + (i % acknowledgement);
            record.Begin(phase == call ? Environment.CurrentManagedThreadId : phase == run ? receiver : 0);
            server.Notify("/t");
            if (phase == call)
            {
                End(record, phase, i);
            }

            byte[] notification = await observer.ReceiveAsync();
            int sent = record.Count;
            await observer.SyncAsync();
            if (phase == run && i >= Before)
            {
                record.End(run, ping, sent);
            }

            record.Begin(phase == acknowledgement ? receiver : 0);
            await observer.AcknowledgeAsync(notification);
            await observer.SyncAsync();
            if (phase == acknowledgement)
            {
                End(record, phase, i);
            }
        }

        return [record.OrderOf(call), record.OrderOf(run), record.OrderOf(acknowledgement)];
    }

    private static void End(CallRecord record, int phase, int turn)
    {
        if (turn >= Before)
        {
            record.End(phase);
        }
    }
}
