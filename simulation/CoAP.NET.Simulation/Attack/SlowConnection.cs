using System.Buffers;

namespace CoAP.NET.Simulation.Attack;

/// <summary>A TCP connection on which each response comes after the next request.</summary>
internal static class SlowConnection
{
    /// <summary>Sends requests of which every other one is given up before its response comes.</summary>
    /// <param name="count">How many.</param>
    /// <returns>Tokens that came twice, and responses that were taken for those of another request.</returns>
    public static async Task<(int Repeated, int Mismatched)> RunAsync(int count)
    {
        using Socket listener = new(SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        await using CoapClient client = new();
        string uri = $"coap+tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndPoint!).Port}/x";
        using CancellationTokenSource end = new();
        Task<int> serving = ServeAsync(listener, end.Token);
        int mismatched = 0;

        // Connected first: who gives up while it connects may give up the connection, and only one is accepted.
        _ = await client.GetAsync($"{uri}?now").WaitAsync(TimeSpan.FromMinutes(2));
        for (int i = 0; i < count; i++)
        {
            using CancellationTokenSource giveUp = new();
            Task<CoapResponse> given = client.GetAsync($"{uri}?held={i}", giveUp.Token);
            await giveUp.CancelAsync();
            try
            {
                await given;
                mismatched++;
            }
            catch (OperationCanceledException)
            {
            }

            mismatched += (await client.GetAsync($"{uri}?now={i}").WaitAsync(TimeSpan.FromMinutes(2)))
                .GetText() == $"now={i}" ? 0 : 1;
        }

        await end.CancelAsync();
        return (await serving, mismatched);
    }

    private static async Task<int> ServeAsync(Socket listener, CancellationToken cancellationToken)
    {
        int repeated = 0;
        HashSet<CoapToken> seen = [];
        CoapMessage? held = null;
        try
        {
            using Socket connection = await listener.AcceptAsync(cancellationToken);
            connection.NoDelay = true;
            await connection.SendAsync(CoapStreamSerializer.Default.Serialize(new CoapMessage(CoapCode.Csm)), cancellationToken);
            byte[] buffer = new byte[64 * 1024];
            int filled = 0;
            while (true)
            {
                int read = await connection.ReceiveAsync(buffer.AsMemory(filled), cancellationToken);
                if (read == 0)
                {
                    return repeated;
                }

                filled += read;
                ReadOnlySequence<byte> rest = new(buffer, 0, filled);
                while (CoapStreamSerializer.Default.TryDeserialize(rest, out CoapMessage? message, out SequencePosition consumed, out _))
                {
                    rest = rest.Slice(consumed);
                    if (!message.Code.IsRequest)
                    {
                        continue;
                    }

                    repeated += seen.Add(message.Token) ? 0 : 1;
                    string query = message.Options.UriQuery[0];
                    CoapMessage response = new(CoapCode.Content)
                    {
                        Token = message.Token,
                        Payload = Encoding.UTF8.GetBytes(query)
                    };
                    if (query.StartsWith("held", StringComparison.Ordinal))
                    {
                        held = response;
                        continue;
                    }

                    if (held is not null)
                    {
                        await connection.SendAsync(CoapStreamSerializer.Default.Serialize(held), cancellationToken);
                    }

                    await connection.SendAsync(CoapStreamSerializer.Default.Serialize(response), cancellationToken);
                }

                byte[] left = rest.ToArray();
                left.CopyTo(buffer, 0);
                filled = left.Length;
            }
        }
        catch (OperationCanceledException)
        {
            return repeated;
        }
    }
}
