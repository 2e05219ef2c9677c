using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET.Exchanges;

// Responses to standing requests: notifications (RFC 7641 section 3.5).
public sealed partial class ExchangesInbound
{
    /// <summary>Takes a response whose token is that of a standing request.</summary>
    /// <returns>Whether it was one.</returns>
    private bool OnNotification(in CoapInbound item, CoapMessage message)
    {
        if (!_layer.TryFind(item.Channel, message.Token, out StandingRequest? request))
        {
            return false;
        }

        if (request.RefusesNotifications && item.Transmission is null && IsNotification(message))
        {
            Counters.Add(CoapCounter.RefusedNotifications);
            Settle(in item, CoapOutboundKind.Reset);
            return true;
        }

        OptionVerdict verdict = OptionRules.Check(message, item.Channel.AllowsQBlock);
        bool isPart = verdict.IsAccepted && IsPartFromTheMiddle(message);
        bool acceptable = verdict.IsAccepted && !isPart;
        Settle(in item, acceptable ? CoapOutboundKind.Acknowledge : CoapOutboundKind.Reject);
        if (acceptable)
        {
            if (request.Owner is not ITransferOwner)
            {
                Counters.Add(CoapCounter.NotificationsReceived);
            }

            bool isOrdered = item.Reception is null && item.Transmission is null;
            request.Owner.OnResponse(request, new CoapResponse(message, item.Channel.Remote), item.Transmission, isOrdered);
        }
        else
        {
            Counters.Add(CoapCounter.BadOptions);
            request.Owner.OnRejected(request, new CoapProtocolException(isPart
                ? $"{item.Channel} sent a notification that begins in the middle of the representation (RFC 7959 section 2.6)."
                : $"{item.Channel} sent a notification {message.Code}, which must be rejected (RFC 7252 section 5.4.1): {verdict.Describe()}"));
        }

        return true;
    }

    /// <summary>
    /// What a response that nobody waits for gets: a notification is rejected in any case, as nothing else would make the server forget us (RFC 7641 section 3.6). So is a
    /// list of missing blocks of a body that was given up (RFC 9177 section 4.3).
    /// </summary>
    private static CoapOutboundKind AnswerToUnknown(CoapMessage message) => (message.Code.IsSuccess && IsNotification(message)) || IsMissingList(message) ? CoapOutboundKind.Reset : CoapOutboundKind.Reject;

    private static bool IsMissingList(CoapMessage message) =>
        message.Code == CoapCode.RequestEntityIncomplete && message.OptionsToRead?.ContentFormat == CoapContentFormat.MissingBlocks;

    private static bool IsNotification(CoapMessage message) => message.HasOptions && message.OptionsToRead!.Contains(OptionNumber.Observe);

    // A notification carries the first block only; the rest is fetched (RFC 7959 section 2.6).
    private static bool IsPartFromTheMiddle(CoapMessage message) =>
        message.HasOptions && message.OptionsToRead! is { } options && (options.Block2?.Number > 0 || options.Block1 is { Number: > 0 } or { More: true });

    private static bool OnStanding(in CoapInbound item)
    {
        if (item.Transmission?.Owner is not StandingRequest standing)
        {
            return false;
        }

        standing.Owner.OnTransmission(item.Transmission, item.Kind);
        return true;
    }
}
