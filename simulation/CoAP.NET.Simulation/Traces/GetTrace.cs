using System.Reflection;

namespace CoAP.NET.Simulation.Traces;

/// <summary>What a server enters, in order, when it receives a Confirmable GET over UDP and a handler answers it at once.</summary>
internal static class GetTrace
{
    // The first requests make what later ones find: the peer, tables, buffers.
    private const int Before = 20;
    private const int Traces = 5;

    private static readonly byte[] s_path = [0xb1, (byte)'t'];

    /// <summary>Traces a GET.</summary>
    /// <returns>The full names of the types that the receiving thread enters.</returns>
    public static IReadOnlyList<string> Run()
    {
        Assembly core = typeof(CoapMessage).Assembly;
        (byte[] rewritten, string[] types) = CallTracer.Rewrite(core.Location);
        LibraryCopy copy = new(new Dictionary<string, byte[]> { [core.GetName().Name!] = rewritten });
        int[] order = copy.Bind<Func<int[]>>(typeof(GetTrace), nameof(RunCopy))();
        return [.. types.Select((type, i) => (Type: type, At: order[i])).Where(one => one.At > 0).OrderBy(one => one.At)
            .Select(one => one.Type)];
    }

    /// <summary>Traces a GET through the copy of the library that this code uses.</summary>
    /// <returns>For each type, when the thread first entered it, from 1; 0 for never.</returns>
    public static int[] RunCopy() => RunCopyAsync().GetAwaiter().GetResult();

    private static async Task<int[]> RunCopyAsync()
    {
        Type trace = typeof(CoapMessage).Assembly.GetType(CallTracer.TypeName)!;
        int[] order = (int[])trace.GetField(CallTracer.OrderField)!.GetValue(null)!;
        FieldInfo count = trace.GetField(CallTracer.CountField)!;
        FieldInfo thread = trace.GetField(CallTracer.ThreadField)!;
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
        using UdpClient client = new(new IPEndPoint(IPAddress.Loopback, 0));
        client.Connect(new IPEndPoint(IPAddress.Loopback, new Uri(server.LocalEndpoints[0]).Port));
        for (ushort id = 0; id < Before; id++)
        {
            await AskAsync(client, id);
        }

        // When the system interrupts the thread, more is entered, such as what looks after slow handlers: the shortest trace counts.
        int[] shortest = [];
        for (int i = 0; i < Traces; i++)
        {
            Array.Clear(order);
            count.SetValue(null, 0);
            thread.SetValue(null, receiver);
            await AskAsync(client, (ushort)(Before + (2 * i)));

            // The thread has done all of the request when it has answered the next one.
            await AskAsync(client, (ushort)(Before + (2 * i) + 1));
            thread.SetValue(null, 0);
            if (shortest.Length == 0 || order.Count(one => one > 0) < shortest.Count(one => one > 0))
            {
                shortest = [.. order];
            }
        }

        return shortest;
    }

    private static async Task AskAsync(UdpClient client, ushort id)
    {
        byte[] request = [0x41, 0x01, (byte)(id >> 8), (byte)id, (byte)id, .. s_path];
        await client.SendAsync(request);
        UdpReceiveResult answer = await client.ReceiveAsync();
        if (answer.Buffer is not [_, 0x45, ..])
        {
            throw new InvalidOperationException($"The answer is no 2.05: {Convert.ToHexString(answer.Buffer)}.");
        }
    }
}
