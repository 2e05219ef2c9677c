using System.Buffers.Binary;
using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET.Signalling;

// RFC 8323 section 5.4: Ping and Pong, in both directions.
internal sealed partial class SignallingLayer
{
    private uint _lastPing;

    /// <summary>All requests of a peer that were waited for are answered, or something that was not plain went up, which may have been the response that the end of the connection waits for.</summary>
    public void OnDrained(CoapChannel channel)
    {
        if (channel.SignallingState is StreamState { IsOver: false } state)
        {
            AnswerCustody(state);
            CloseIfQuiet(state, _shard.Environment.Now);
        }
    }

    private void OnPing(StreamState state, CoapMessage ping)
    {
        if (ping.OptionsToRead?.Contains(Custody.Definition.Number) != true)
        {
            Pong(state, ping.Token, custody: false);
            return;
        }

        RequestsUnderWay requests = state.Channel.Requests!;
        if (state.Custody is not { IsEmpty: false } && requests.Count == 0)
        {
            Pong(state, ping.Token, custody: true);
            return;
        }

        state.Custody ??= new CustodyPings(requests);
        if (!state.Custody.TryAdd(ping.Token))
        {
            Pong(state, ping.Token, custody: false);
            return;
        }

        requests.IsAwaited = true;
        AnswerCustody(state);
    }

    private void AnswerCustody(StreamState state)
    {
        while (state.Custody is { } custody && custody.TryTake(out CoapToken token))
        {
            Pong(state, token, custody: true);
        }

        if (state is { Custody: null or { IsEmpty: true }, IsReleasing: false })
        {
            state.Channel.Requests!.IsAwaited = false;
        }
    }

    private void Pong(StreamState state, CoapToken token, bool custody)
    {
        CoapMessage pong = new(CoapCode.Pong) { Token = token };
        if (custody)
        {
            pong.Options.Add(new Custody());
        }

        Post(state, pong);
    }

    // RFC 7252 has an Empty Confirmable message for this; here it is a Ping.
    private void SendPing(StreamState state, CoapTransmission transmission, long now)
    {
        Span<byte> token = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(token, ++_lastPing);
        CoapMessage ping = new(CoapCode.Ping) { Token = new CoapToken(token) };
        (state.Pings ??= []).Add(ping.Token, transmission);
        transmission.Message = ping;
        transmission.Attempts = 1;
        transmission.SentAt = now;
        Post(state, ping);
    }

    private void OnPong(StreamState state, CoapMessage pong, long now)
    {
        CoapToken token = pong.Token;
        if (token.Length == 0)
        {
            // It answers the Ping of a silence, for which having heard anything is enough. Where there is none, the peer left the token out, as some do (libcoap 4.3.1): Pongs come in the
            // order of their Pings.
            bool isOfSilence = state.PingSentAt is not null;
            state.PingSentAt = null;
            token = isOfSilence || state.Pings is not { Count: > 0 } waiting ? token : waiting.MinBy(static ping => ping.Value.SentAt).Key;
        }

        if (state.Pings is { } pings && pings.Remove(token, out CoapTransmission? transmission))
        {
            Settle(transmission, CoapInboundKind.Reset, state, now);
        }
    }
}
