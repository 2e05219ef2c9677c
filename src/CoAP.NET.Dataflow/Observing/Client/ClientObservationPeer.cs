using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing.Client;

/// <summary>
/// The peer of a registration: which of the found addresses it is at, the token, and the message that is sent with it. Used only on the
/// thread that processes its events; the caller must hold no lock.
/// </summary>
internal sealed class ClientObservationPeer(ClientObservation observation, ClientObservationContext context)
{
    // The addresses of the name, if there are several, and the number of those that were not tried since the last search.
    private IReadOnlyList<CoapChannel>? _addresses;
    private int _addressesLeft;

    /// <summary>The token towards the server; null if there is none.</summary>
    public MultiResponseToken? MultiResponseToken { get; private set; }

    /// <summary>The last registration or cancellation; null if its result no longer matters.</summary>
    public CoapTransmission? Transmission { get; private set; }

    /// <summary>Whether the server may have the observer, so that it must be told when the last reader leaves.</summary>
    public bool MayBeRegistered { get; set; }

    /// <summary>Whether the next registration goes to the next address after a failure.</summary>
    public bool TriesNext { get; set; }

    public CoapTransmissionParameters Parameters => MultiResponseToken!.Channel.Parameters;

    /// <summary>
    /// Whether the result of the message will be reported: it waits in the queue after other messages to the peer, or for its
    /// acknowledgement.
    /// </summary>
    public bool IsInProgress => Transmission is { IsQueued: true } or { IsOutstanding: true, Message.Type: CoapMessageType.Confirmable };

    /// <summary>
    /// Whether the peer cannot be found again after its connection ended: it had connected to us, and returns over a connection of its own,
    /// as another peer.
    /// </summary>
    public bool IsGoneForGood =>
        observation.Target.Peer is { IsConnection: true } peer && ConnectionPool.RouteTo(peer.Wire).Only is not null;

    /// <summary>Returns whether the token belongs to a peer.</summary>
    public bool IsAt(CoapChannel channel) => MultiResponseToken is not null && IsSamePeer(MultiResponseToken.Channel, channel);

    /// <summary>
    /// Returns whether the message waits for a turn that may never come: like a request, PROBING_RATE (RFC 7252 section 4.7) may hold it
    /// back for hours if the peer has been silent for long.
    /// </summary>
    public bool WaitsInVain(long now) =>
        Transmission is { IsQueued: true } && now - MultiResponseToken!.Channel.LastSeen >= Parameters.ExchangeLifetime.Ticks;

    /// <summary>Chooses the peer for the registration after a search.</summary>
    /// <param name="channels">The found peers, at least one.</param>
    public CoapChannel Choose(IReadOnlyList<CoapChannel> channels)
    {
        int start = IndexIn(channels);
        if (start < 0)
        {
            start = 0;
        }
        else if (TriesNext)
        {
            start = (start + 1) % channels.Count;
        }

        TriesNext = false;
        _addresses = channels.Count > 1 ? channels : null;
        _addressesLeft = channels.Count - 1;
        return channels[start];
    }

    /// <summary>Returns the next address of the name if nothing listens at that of the registration.</summary>
    /// <returns>The peer there; null if all were tried.</returns>
    public CoapChannel? Next()
    {
        if (_addressesLeft <= 0 || _addresses is null)
        {
            return null;
        }

        _addressesLeft--;
        return _addresses[(IndexIn(_addresses) + 1) % _addresses.Count];
    }

    /// <summary>
    /// Opens a token towards a peer, and replaces the previous one. If the previous peer still notifies, it gets a Reset.
    /// </summary>
    public MultiResponseToken Open(CoapChannel channel)
    {
        Close();
        MayBeRegistered = false;
        return MultiResponseToken = context.Sender.Open(channel, observation);
    }

    /// <summary>Takes over the token of an earlier process.</summary>
    /// <returns>False if another request to the peer uses it.</returns>
    public bool TryAdopt(CoapChannel channel, CoapToken token)
    {
        MultiResponseToken = context.Sender.TryAdopt(channel, token, observation);
        return MayBeRegistered = MultiResponseToken is not null;
    }

    /// <summary>Sends a message with the token.</summary>
    /// <returns>Why it could not be sent; null if it was sent.</returns>
    public CoapException? Send(CoapMessage message)
    {
        Transmission = new CoapTransmission(
            MultiResponseToken!.Channel, message, MultiResponseToken)
        { OnBehalfOf = observation.Target.OnBehalfOf };
        if (MultiResponseToken.Channel.Carried is not null && message.Options.Observe == ObserveOption.RegisterValue)
        {
            MultiResponseToken.Registration = Transmission;
        }

        return context.Sender.Send(Transmission);
    }

    /// <summary>Forgets the message: its result no longer matters, and copies do no harm.</summary>
    public void Forget() => Transmission = null;

    public void Stop()
    {
        if (Transmission is { } transmission)
        {
            Transmission = null;
            MayBeRegistered |= transmission.Attempts > 0;
            if (!transmission.IsOver)
            {
                context.Sender.Stop(transmission);
            }
        }
    }

    public void Close()
    {
        if (MultiResponseToken is { } standing)
        {
            MultiResponseToken = null;
            context.Sender.Close(standing);
        }
    }

    /// <summary>Handles the end of the connection, with which the server forgot us.</summary>
    public void Lose()
    {
        Stop();
        Close();
        MayBeRegistered = false;
    }

    private int IndexIn(IReadOnlyList<CoapChannel> channels)
    {
        for (int i = 0; MultiResponseToken is not null && i < channels.Count; i++)
        {
            if (IsSamePeer(channels[i], MultiResponseToken.Channel))
            {
                return i;
            }
        }

        return -1;
    }

    // The same connection, or on datagrams the same address.
    private static bool IsSamePeer(CoapChannel left, CoapChannel right) =>
        ReferenceEquals(left, right)
        || (!left.IsConnection && left.Remote == right.Remote && left.Transport == right.Transport
            && left.Carried?.Context == right.Carried?.Context);
}
