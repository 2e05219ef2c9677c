using CoAP.NET.Blockwise.Server;
using CoAP.NET.Groups;
using CoAP.NET.Observing.Server;

namespace CoAP.NET.Exchanges;

/// <summary>
/// Matches responses and outcomes of sent messages to their owners: requests, pings, observations (RFC 7641 section 3.5), group requests,
/// stateless clients (RFC 8974 section 3). No method may be called under a lock.
/// </summary>
internal sealed class ResponseMatching
{
    private readonly CoapShard _shard;
    private readonly ExchangeLayer _layer;
    private readonly ExchangesOutboundBlock _outbound;
    private readonly GroupRequests _groupRequests;
    private readonly StatelessReceivers _stateless;
    private readonly BlockwiseRequestReceiver _blockwise;
    private readonly ObserverTable _observers;
    private readonly CoapCounters _counters;

    public ResponseMatching(
        CoapShard shard,
        ExchangeLayer layer,
        ExchangesOutboundBlock outbound,
        GroupRequests groupRequests,
        StatelessReceivers stateless,
        BlockwiseRequestReceiver blockwise,
        ObserverTable observers)
    {
        _shard = shard;
        _layer = layer;
        _outbound = outbound;
        _groupRequests = groupRequests;
        _stateless = stateless;
        _blockwise = blockwise;
        _observers = observers;
        _counters = shard.Environment.Counters;
    }

    public void OnResponse(in CoapInbound item, CoapMessage message)
    {
        ClientRequest? request;
        MultiResponseToken? standing = null;
        _shard.Enter();
        try
        {
            if (!_layer.TryTake(item.Channel, message.Token, out request))
            {
                ExchangeLayer.TryFind(item.Channel, message.Token, out standing);
            }
        }
        finally
        {
            _shard.ExitAndSend();
        }

        if (standing is not null)
        {
            OnNotification(in item, message, standing);
            return;
        }

        if (request is null)
        {
            if (!item.IsMulticast && _groupRequests.TryFind(message.Token, out GroupRequest? group))
            {
                OnGroupResponse(in item, message, group);
                return;
            }

            if (!item.IsMulticast
                && _stateless.TryOpen(message.Token, item.Channel, out StatelessTokenHandler? client, out byte[] state, out TimeSpan age))
            {
                OnStatelessResponse(in item, message, client, state, age);
                return;
            }

            if (TryFindOrEnqueue(in item, message))
            {
                return;
            }

            // RFC 7252 section 5.3.2: an unrequested response. Rejects a Confirmable one and ignores others.
            _counters.Add(CoapCounter.UnmatchedResponses);
            item.Channel.NoteDrop(CoapCounter.UnmatchedResponses);
            _outbound.Settle(item.Received, AnswerToUnknown(message));
            return;
        }

        OptionVerdict verdict = OptionRules.Check(message, item.Channel.AllowsQBlock, request.IsForwarded);
        bool acceptable = verdict.IsAccepted;
        if (item.Transmission is null)
        {
            _outbound.Cancel(request.Transmission);
        }

        _outbound.Settle(item.Received, acceptable ? CoapOutboundAction.Acknowledge : CoapOutboundAction.Reject);
        if (acceptable)
        {
            request.Complete(new CoapResponse(message, item.Channel.Remote));
            return;
        }

        _counters.Add(CoapCounter.BadOptions);
        item.Channel.NoteDrop(CoapCounter.BadOptions);
        request.Fail(new CoapProtocolException(
            $"{request.Target} answered {message.Code}, which must be rejected (RFC 7252 section 5.4.1): "
                + $"{verdict.Describe(message.Options.Registry)} Register a factory for the option if you know it."));
    }

    /// <summary>
    /// Handles a notification that found no observation: those of an earlier process are being resumed. Looks for its token again, which
    /// another thread may have resumed since it was looked up, before it ended the pause.
    /// </summary>
    /// <returns>Whether it went to an observation, or is queued.</returns>
    internal bool TryFindOrEnqueue(in CoapInbound item, CoapMessage message)
    {
        if (item is not { Received: not null, Transmission: null, IsMulticast: false } || !message.Code.IsSuccess
            || !IsNotification(message))
        {
            return false;
        }

        MultiResponseToken? standing;
        ReceivedMessage? displaced = null;
        CoapOutboundAction how = default;
        _shard.Enter();
        try
        {
            if (!ExchangeLayer.TryFind(item.Channel, message.Token, out standing)
                && (!_layer.UnmatchedNotificationQueue.IsQueueing
                    || !_layer.UnmatchedNotificationQueue.TryEnqueue(new UnmatchedNotification(in item), out displaced, out how)))
            {
                return false;
            }
        }
        finally
        {
            _shard.ExitAndSend();
        }

        if (standing is not null)
        {
            OnNotification(in item, message, standing);
        }
        else
        {
            _outbound.Settle(displaced, how);
        }

        return true;
    }

    // Matched by the token alone, because each member answers from its own address (RFC 7252 section 8.2).
    private void OnGroupResponse(in CoapInbound item, CoapMessage message, GroupRequest group)
    {
        OptionVerdict verdict = OptionRules.Check(message);
        if (!verdict.IsAccepted || group.IsOver)
        {
            // A server whose notification is rejected stops sending notifications (RFC 7641 section 3.6).
            _counters.Add(verdict.IsAccepted ? CoapCounter.LateResponses : CoapCounter.BadOptions);
            _outbound.Settle(item.Received, AnswerToUnknown(message));
            return;
        }

        _outbound.Settle(item.Received, CoapOutboundAction.Acknowledge);
        if (group.Deliver(item.Channel, message) is { } counter)
        {
            _counters.Add(counter);
        }
    }

    // A response with the token of a standing request.
    private void OnNotification(in CoapInbound item, CoapMessage message, MultiResponseToken request)
    {
        if (request.Notifications is not NotificationHandling.Accept and var handling && item.Transmission is null
            && IsNotification(message))
        {
            _counters.Add(CoapCounter.RefusedNotifications);
            _outbound.Settle(item.Received, handling == NotificationHandling.Reject ? CoapOutboundAction.Reset
                : CoapOutboundAction.Forget);
            return;
        }

        OptionVerdict verdict = OptionRules.Check(message, item.Channel.AllowsQBlock, request.Owner.IsForwarded);
        bool isPart = verdict.IsAccepted && IsPartFromTheMiddle(message);
        bool acceptable = verdict.IsAccepted && !isPart;
        _outbound.Settle(item.Received, acceptable ? CoapOutboundAction.Acknowledge : CoapOutboundAction.Reject);
        if (acceptable)
        {
            if (!request.Owner.IsTransfer)
            {
                _counters.Add(CoapCounter.NotificationsReceived);
            }

            bool isOrdered = item.Received is null && item.Transmission is null;
            request.Owner.OnResponse(request, new CoapResponse(message, item.Channel.Remote), item.Transmission, isOrdered);
        }
        else
        {
            _counters.Add(CoapCounter.BadOptions);
            request.Owner.OnRejected(request, new CoapProtocolException(isPart
                ? $"{item.Channel} sent a notification that begins in the middle of the representation (RFC 7959 section 2.6)."
                : $"{item.Channel} sent a notification {message.Code}, which must be rejected (RFC 7252 section "
                    + $"5.4.1): {verdict.Describe(message.Options.Registry)}"));
        }
    }

    /// <summary>
    /// Returns the reply to an unmatched response. It always rejects a notification, because only that ends the registration at the server
    /// (RFC 7641 section 3.6). It also rejects a list of missing blocks of an abandoned body (RFC 9177 section 4.3).
    /// </summary>
    private static CoapOutboundAction AnswerToUnknown(CoapMessage message) =>
        (message.Code.IsSuccess && IsNotification(message)) || IsMissingList(message) ? CoapOutboundAction.Reset
            : CoapOutboundAction.Reject;

    private static bool IsMissingList(CoapMessage message) =>
        message.Code == CoapCode.RequestEntityIncomplete && message.OptionsToRead?.ContentFormat == CoapContentFormat.MissingBlockList;

    private static bool IsNotification(CoapMessage message) => message.HasOptions && message.OptionsToRead!.Contains(OptionNumber.Observe);

    // A notification carries the first block only; the rest is fetched (RFC 7959 section 2.6).
    private static bool IsPartFromTheMiddle(CoapMessage message) =>
        message.HasOptions && message.OptionsToRead! is { } options
            && (options.Block2?.Number > 0 || options.Block1 is { Number: > 0 } or { More: true });

    private void OnStatelessResponse(in CoapInbound item, CoapMessage message, StatelessTokenHandler client, byte[] state, TimeSpan age)
    {
        if (!OptionRules.Check(message).IsAccepted)
        {
            _counters.Add(CoapCounter.BadOptions);
            _outbound.Settle(item.Received, CoapOutboundAction.Reject);
            return;
        }

        _outbound.Settle(item.Received, CoapOutboundAction.Acknowledge);
        client.Give(new CoapResponse(message, item.Channel.Remote), state, age);
    }

    /// <summary>Reports the outcome of a sent message to its owner.</summary>
    public static void OnTransmission(in CoapInbound item)
    {
        if (item.Transmission is { Owner: { } owner } transmission)
        {
            owner.OnTransmissionEnd(transmission, item.Kind);
        }
    }

    /// <summary>
    /// Handles the end of a connection (RFC 8323 section 3.4): pending requests fail; observers and partial bodies are forgotten.
    /// </summary>
    public void OnDisconnected(in CoapInbound item)
    {
        CoapConnectionException reason = item.Reason
            ?? new CoapConnectionException(CoapError.Closed, $"The connection to {item.Channel} has ended.");
        if (item.Transmission is { } transmission)
        {
            // A single message that could not be sent.
            transmission.Owner?.OnDisconnected(transmission, reason);
            return;
        }

        CoapChannel channel = item.Channel;
        List<PendingRequest> pending;
        List<MultiResponseToken> open;
        _shard.Enter();
        try
        {
            pending = _layer.TakeAll(channel);
            open = ExchangeLayer.MultiResponseTokensOf(channel);
            _blockwise.Forget(channel);
            _observers.RemoveAllOf(channel, reason.Error == CoapError.HandedOver
                ? CoapObserverEnd.HandedOver
                : CoapObserverEnd.Disconnected);
        }
        finally
        {
            _shard.ExitAndSend();
        }

        foreach (PendingRequest request in pending)
        {
            request.FailUnanswered(reason);
        }

        foreach (MultiResponseToken token in open)
        {
            token.Owner.OnDisconnected(token, reason);
        }

        if (channel.Carried is null)
        {
            _shard.Endpoint.OnGone(channel, reason);
        }
    }
}
