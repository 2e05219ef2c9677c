using CoAP.NET.Channels;
using CoAP.NET.Observing;

namespace CoAP.NET.Exchanges;

// What the end of a connection means (RFC 8323 section 3.4): requests under way fail, observers and what is left of bodies are forgotten.
public sealed partial class ExchangesInbound
{
    private void OnDisconnected(in CoapInbound item)
    {
        CoapConnectionException reason = item.Reason ?? new CoapConnectionException(CoapConnectionError.Closed, $"The connection to {item.Channel} has ended.");
        if (item.Transmission is { } transmission)
        {
            // One message that could not be sent any more.
            if (transmission.Source is Observer observer)
            {
                _observers.OnFate(observer, transmission, item.Kind);
                return;
            }

            if (transmission.Owner is PendingRequest unsent && _layer.TryTake(unsent))
            {
                unsent.Fail(Unanswered(unsent, reason));
            }
            else if (transmission.Owner is StandingRequest standing)
            {
                standing.Owner.OnDisconnected(standing, reason);
            }

            return;
        }

        CoapChannel channel = item.Channel;
        foreach (PendingRequest request in _layer.TakeAll(channel))
        {
            request.Fail(Unanswered(request, reason));
        }

        foreach (StandingRequest standing in _layer.StandingAt(channel))
        {
            standing.Owner.OnDisconnected(standing, reason);
        }

        _observers.RemoveAllOf(channel);
        _shard.Enter();
        try
        {
            _blockwise.Bodies.Forget(channel);
        }
        finally
        {
            _shard.Exit();
        }

        _shard.Drain.OnGone(channel, reason);
    }

    private static CoapConnectionException Unanswered(PendingRequest request, CoapConnectionException reason)
    {
        bool wasSent = request.Transmission.Attempts > 0;
        string what = request.Message.Code.IsRequest ? request.Message.Code.ToString() : "The ping";
        return new CoapConnectionException(reason.Error, $"{what} to {request.Target} was not {(wasSent ? "answered" : "sent")}: {reason.Message}", reason)
        {
            Diagnostic = reason.Diagnostic,
            RetryAfter = reason.RetryAfter,
            IsOutcomeUnknown = wasSent && request.Message.Code.IsRequest && !request.Message.Code.IsSafe,
            IsUnsent = !wasSent,
        };
    }
}
