using System.Buffers.Binary;

namespace CoAP.NET.Signalling;

/// <summary>Handles Ping and Pong in both directions (RFC 8323 section 5.4). Under the shard's lock.</summary>
internal sealed class ConnectionPings
{
    private uint _lastPing;

    public static void OnPing(StreamState state, CoapMessage ping)
    {
        if (ping.OptionsToRead?.Contains(CustodyOption.Definition.Number) != true)
        {
            Pong(state, ping.Token, custody: false);
            return;
        }

        ConnectionRequestCounter requests = state.Channel.Connection!.Requests!;
        if (state.Custody is not { IsEmpty: false } && requests.Count == 0)
        {
            Pong(state, ping.Token, custody: true);
            return;
        }

        state.Custody ??= new ReceivedCustodyPings(requests);
        if (!state.Custody.TryAdd(ping.Token))
        {
            Pong(state, ping.Token, custody: false);
            return;
        }

        requests.IsAwaited = true;
        AnswerCustody(state);
    }

    /// <summary>Answers the Pings whose earlier requests are all answered.</summary>
    public static void AnswerCustody(StreamState state)
    {
        while (state.Custody is { } custody && custody.TryTake(out CoapToken token))
        {
            Pong(state, token, custody: true);
        }

        if (state is { Custody: null or { IsEmpty: true }, IsReleasing: false })
        {
            state.Channel.Connection!.Requests!.IsAwaited = false;
        }
    }

    /// <summary>Pings the peer. RFC 7252 has an Empty Confirmable message for this; on connections it is a Ping.</summary>
    public void Send(StreamState state, CoapTransmission transmission, long now)
    {
        Span<byte> token = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(token, ++_lastPing);
        CoapMessage ping = new(CoapCode.Ping) { Token = new CoapToken(token) };
        (state.Pings ??= []).Add(ping.Token, transmission);
        transmission.Message = ping;
        transmission.Attempts = 1;
        transmission.SentAt = now;
        state.Post(ping);
    }

    /// <summary>Handles a Pong of the peer.</summary>
    /// <returns>The answered Ping; null for a keep-alive Ping, or none.</returns>
    public static CoapTransmission? OnPong(StreamState state, CoapMessage pong)
    {
        CoapToken token = pong.Token;
        if (token.Length == 0)
        {
            // It answers the keep-alive Ping, for which any message is enough. Without such a Ping the peer omitted the token, as some do
            // (libcoap 4.3.1): Pongs have the order of their Pings.
            bool isOfSilence = state.PingSentAt is not null;
            state.PingSentAt = null;
            token = isOfSilence || state.Pings is not { Count: > 0 } waiting ? token : waiting.MinBy(static ping => ping.Value.SentAt).Key;
        }

        return state.Pings is { } pings && pings.Remove(token, out CoapTransmission? transmission) ? transmission : null;
    }

    private static void Pong(StreamState state, CoapToken token, bool custody)
    {
        CoapMessage pong = new(CoapCode.Pong) { Token = token };
        if (custody)
        {
            pong.Options.Add(new CustodyOption());
        }

        state.Post(pong);
    }
}
