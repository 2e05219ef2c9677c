using System.Globalization;

namespace CoAP.NET.Errors;

/// <summary>The facts of an expired request, and their description.</summary>
internal readonly record struct TimeoutFacts(CoapTimeoutStep Awaited, CoapTimeLimitKind EndedBy, TimeSpan Limit, CoapTimeoutReason Reason)
{
    public int Attempts { get; init; }

    /// <summary>Whether it was sent on a connection.</summary>
    public bool IsReliable { get; init; }

    /// <summary>Whether it was Non-confirmable and so has no acknowledgement.</summary>
    public bool IsNonConfirmable { get; init; }

    /// <summary>Whether earlier messages to the peer ended without an answer, and none is outstanding.</summary>
    public bool IsPeerSilent { get; init; }

    /// <summary>Whether earlier messages of the same request were answered.</summary>
    public bool HasBegun { get; init; }

    /// <summary>The progress of the connection that was opened for it; null if there was none.</summary>
    public CoapConnectProgress? Progress { get; init; }

    /// <summary>Creates the facts of a connection that was not opened in time.</summary>
    public static TimeoutFacts OfConnecting(CoapConnectProgress progress, CoapTimeLimitKind endedBy, TimeSpan limit) =>
        new(progress.Awaited, endedBy, limit, CoapTimeoutReason.NotSent) { Progress = progress };

    public bool MayHaveActed(CoapCode method) => (HasBegun || Reason != CoapTimeoutReason.NotSent) && method.IsRequest && !method.IsSafe;

    public string Describe(CoapCode method, string target)
    {
        string what = $"{(method.IsEmpty ? "Ping" : method.Name ?? method.ToString())} to {target} ";
        string text = Awaited switch
        {
            CoapTimeoutStep.NameResolution =>
                $"was not sent: {What} was not found within {Time}. The resolver is slow or does not answer; check the name and the "
                    + "network, or use an address.",
            CoapTimeoutStep.Connect or CoapTimeoutStep.TlsHandshake or CoapTimeoutStep.DtlsHandshake
                or CoapTimeoutStep.WebSocketHandshake =>
                $"was not sent: {What} was not complete within {Time}. {Progress?.Description}",
            CoapTimeoutStep.Capabilities when Reason == CoapTimeoutReason.NotSent =>
                $"was not sent: it is larger than every peer accepts, or sent for another client, so it had to wait for {What}, which did not "
                    + $"arrive within {Time}. {NotCoap}",
            CoapTimeoutStep.Capabilities =>
                $"was written to the connection, but nothing came back within {Time}, not even {What}. {NotCoap}",
            CoapTimeoutStep.Turn when IsPeerSilent =>
                $"was not sent: the peer answered none of the earlier messages, so that the next ones leave slowly (PROBING_RATE, RFC 7252 "
                    + $"section 4.7), and {TurnOver}. The peer is down, asleep or unreachable. Raise ProbingRate for this peer to "
                    + "notice its return sooner.",
            CoapTimeoutStep.Turn =>
                $"was not sent: it waited for {What} after other messages to this peer (NSTART and PROBING_RATE, RFC 7252 section "
                    + $"4.7), and {TurnOver}. "
                + "Raise NStart for this peer, send fewer requests at a time, or allow more time.",
            CoapTimeoutStep.Acknowledgement when EndedBy == CoapTimeLimitKind.Retransmissions =>
                $"was not answered: no acknowledgement arrived within {Time}{Copies}. The peer is down, asleep or unreachable, or "
                    + "another service uses this port.",
            CoapTimeoutStep.Acknowledgement =>
                $"was not answered: no acknowledgement arrived within {Time}{Copies}. The peer is down, asleep, slow or unreachable; "
                    + "without a Timeout, the client waits for up to 93 s by default.",
            CoapTimeoutStep.Pong =>
                $"was not answered: no Pong arrived within {Time}. The peer does not read the connection, or is no longer reachable.",
            CoapTimeoutStep.NextBlock =>
                $"was not completed: after some blocks, no response to the next one arrived within {Time}{Copies}. Allow more time, or use "
                    + "smaller blocks where the network loses long datagrams.",
            _ when IsNonConfirmable =>
                $"got no response within {Time}. It is Non-confirmable, so nothing shows whether it arrived. Send it as Confirmable, or "
                    + "allow more time by Timeout or ResponseTimeout.",
            _ =>
                $"was {(IsReliable ? "delivered" : "acknowledged")}, but no response followed within {Time}. The server is still "
                    + "processing it, or does not answer. Allow more time by Timeout or ResponseTimeout.",
        };
        return what + text.TrimEnd() + (MayHaveActed(method) ? " Whether it took effect is unknown." : "");
    }

    private string What => Awaited switch
    {
        CoapTimeoutStep.NameResolution => "an address of its host name",
        CoapTimeoutStep.Connect => "the connection",
        CoapTimeoutStep.TlsHandshake => "the TLS handshake",
        CoapTimeoutStep.DtlsHandshake => "the DTLS handshake",
        CoapTimeoutStep.WebSocketHandshake => "the WebSocket handshake",
        CoapTimeoutStep.Capabilities => "the peer's CSM, which is the first message of every CoAP peer (RFC 8323 section 5.3)",
        _ => "its turn",
    };

    private const string NotCoap = "Does the peer speak CoAP at this port, and with this scheme? coap+tcp has port 5683 without TLS, "
        + "coaps+tcp port 5684 with TLS.";

    private string Copies => Attempts > 1 ? string.Create(CultureInfo.InvariantCulture, $", for {Attempts} copies of the message") : "";

    private string TurnOver =>
        $"{Time} {(EndedBy == CoapTimeLimitKind.ExchangeLifetime ? "passed without a sign of the peer" : "was over")}";

    private string Time
    {
        get
        {
            string seconds = string.Create(CultureInfo.InvariantCulture, $"{Limit.TotalSeconds:0.###} s");
            return EndedBy switch
            {
                CoapTimeLimitKind.RequestTimeout => $"the Timeout of {seconds}",
                CoapTimeLimitKind.Retransmissions => $"the time of all retransmissions (at most {seconds})",
                CoapTimeLimitKind.ResponseTimeout =>
                    IsNonConfirmable ? $"{seconds} (ResponseTimeout or NON_LIFETIME)" : $"{seconds} (ResponseTimeout)",
                CoapTimeLimitKind.ExchangeLifetime => $"EXCHANGE_LIFETIME ({seconds})",
                CoapTimeLimitKind.PongTimeout => $"the PongTimeout of {seconds}",
                CoapTimeLimitKind.QBlockRepeats => $"all repetitions by Q-Block (NON_MAX_RETRANSMIT), the last after {seconds}",
                _ => $"the {seconds} of one search of an observation for its peer",
            };
        }
    }
}
