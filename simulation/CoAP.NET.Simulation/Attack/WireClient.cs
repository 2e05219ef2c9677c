namespace CoAP.NET.Simulation.Attack;

/// <summary>A client that answers challenges, brings back what it was given, and fetches all blocks of an answer.</summary>
/// <param name="server">Its server.</param>
/// <param name="address">Where it is.</param>
internal sealed class WireClient(AttackServer server, CoapAddress address)
{
    private const int MaxChallenges = 3;

    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(2);

    // No two have a Message ID in common: a second client at an address must not be taken for the first one.
    private static int s_id;

    private byte[]? _echo;

    public CoapAddress Address => address;

    /// <summary>Asks.</summary>
    /// <param name="method">The method.</param>
    /// <param name="path">The path.</param>
    /// <param name="queries">The queries.</param>
    /// <param name="payload">The payload; empty for none.</param>
    /// <param name="format">Its Content-Format.</param>
    /// <param name="observes">Whether to observe.</param>
    /// <returns>The answer with all of its payload.</returns>
    public async Task<CoapMessage> AskAsync(CoapMethod method, string path, string[]? queries = null, byte[]? payload = null,
        uint format = 40, bool observes = false)
    {
        List<byte> body = [];
        CoapMessage answer;
        for (int block = 0; ; block++)
        {
            int number = block;
            answer = await SendAsync(method, path, options =>
            {
                foreach (string query in queries ?? [])
                {
                    options.Add(OptionNumber.UriQuery, Encoding.UTF8.GetBytes(query));
                }

                if (payload is { Length: > 0 })
                {
                    options.AddUInt(OptionNumber.ContentFormat, format);
                }

                if (observes && number == 0)
                {
                    options.Observe = 0;
                }

                if (number > 0)
                {
                    options.Block2 = new BlockValue(number, false, 6);
                }
            }, payload);
            body.AddRange(answer.Payload.ToArray());
            if (!answer.Code.IsSuccess || answer.Options.Block2 is not { More: true } part)
            {
                break;
            }

            if (part.Size != 1024)
            {
                throw new InvalidOperationException($"{address} was given blocks of {part.Size} bytes: it is not verified.");
            }
        }

        answer.Payload = body.ToArray();
        return answer;
    }

    private async Task<CoapMessage> SendAsync(CoapMethod method, string path, Action<CoapOptionCollection> configure, byte[]? payload)
    {
        for (int attempt = 0; ; attempt++)
        {
            byte[]? echo = Interlocked.Exchange(ref _echo, null);
            byte[] request = Forged.Message(
                method,
                path,
                options: options =>
                {
                    configure(options);
                    if (echo is not null)
                    {
                        options.Add(OptionNumber.Echo, echo);
                    }
                },
                payload: payload);
            CoapMessage answer = await ExchangeAsync(request);
            _echo = answer.Options.Echo?.ToArray();
            if (answer.Code != CoapCode.Unauthorized || _echo is null || attempt == MaxChallenges)
            {
                return answer;
            }
        }
    }

    private async Task<CoapMessage> ExchangeAsync(byte[] request)
    {
        int id = Interlocked.Increment(ref s_id);
        CoapMessage? answer = null;
        AttackWire.Sink? before = server.Wire.Sent;
        server.Wire.Sent = (in to, bytes) =>
        {
            if (to == address && Forged.TokenOf(bytes) == (uint)id && Forged.Read(bytes) is { Code.IsEmpty: false } message)
            {
                Volatile.Write(ref answer, message);
            }

            before?.Invoke(to, bytes);
        };
        try
        {
            server.Wire.Receive(address, Forged.Stamp(request, id, (uint)id));
            using CancellationTokenSource hang = new(s_hang);
            while (Volatile.Read(ref answer) is null)
            {
                hang.Token.ThrowIfCancellationRequested();
                await Task.Yield();
            }
        }
        finally
        {
            server.Wire.Sent = before;
        }

        if (answer!.Type == CoapMessageType.Confirmable)
        {
            server.Wire.Receive(address, Forged.Empty(CoapMessageType.Acknowledgement, answer.MessageId));
        }

        return answer;
    }
}
