using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Stage;

/// <summary>
/// A protected request of ours that waits for its response, or an observation, with its received notifications (RFC 8613 sections 7.4.1 and
/// 8.4.2). Thread-safe.
/// </summary>
/// <param name="id">The request.</param>
/// <param name="observes">Whether it has Observe.</param>
/// <param name="before">The previous request with this token; null for none.</param>
internal sealed class OscorePendingRequest(OscoreRequestId id, bool observes, OscorePendingRequest? before)
{
    private readonly Lock _gate = new();

    // Until the server has accepted a new registration, notifications refer to the previous one.
    private OscorePendingRequest? _before = before?.WithoutBefore();
    private ulong _next;
    private uint _delivered = before?._delivered ?? 0;
    private bool _hadRequestNonce;
    private bool _isVerified;

    /// <summary>
    /// Whether a response to this request has been verified. Those to previous ones with its token do not count: a server that lost the
    /// keys meanwhile answers the next registration without protection, and otherwise this client would not notice.
    /// </summary>
    public bool IsVerified
    {
        get
        {
            lock (_gate)
            {
                return _isVerified;
            }
        }
    }

    /// <summary>Verifies and decrypts a response, and determines whether it is new.</summary>
    /// <param name="context">The keys.</param>
    /// <param name="message">The message.</param>
    /// <param name="value">Its option.</param>
    /// <param name="response">The response; a notification gets an increasing number in Observe.</param>
    /// <returns>The fault; <see cref="OscoreFault.None"/> if there is none.</returns>
    public OscoreFault Take(
        OscoreContext context, CoapMessage message, scoped in OscoreOptionValue value, out CoapMessage? response)
    {
        OscoreFault fault = OscoreMessageCipher.UnprotectResponse(id.Derived ?? context, message, in value, id, out response);
        if (fault == OscoreFault.None)
        {
            if (id.Derived is not null)
            {
                context.Rederivation?.Confirm(id.Derived);
            }

            lock (_gate)
            {
                _before = null;
                return TakeLocked(response!, value.HasPartialIv, value.SequenceNumber) ? OscoreFault.None : OscoreFault.Replay;
            }
        }

        OscorePendingRequest? old;
        lock (_gate)
        {
            old = _before;
        }

        if (old is not null)
        {
            fault = old.Take(context, message, in value, out response);
        }

        if (fault != OscoreFault.None)
        {
            return fault;
        }

        lock (_gate)
        {
            _delivered = Math.Max(_delivered, old!._delivered);
        }

        return OscoreFault.None;
    }

    /// <summary>Processes the first response of a run that derives new keys (RFC 8613 appendix B.2).</summary>
    /// <param name="context">The context.</param>
    /// <param name="message">The message.</param>
    /// <param name="value">Its option.</param>
    /// <param name="response">The response that triggers the repetition of the request.</param>
    public bool TryTakeRederived(
        OscoreContext context, CoapMessage message, scoped in OscoreOptionValue value, [NotNullWhen(true)] out CoapMessage? response)
    {
        response = null;
        return value is { HasKidContext: true, HasPartialIv: false }
            && id.Derived is { } derived
            && context.Rederivation!.TryTakeResponse(derived, id, message, in value, out response);
    }

    private OscorePendingRequest WithoutBefore()
    {
        lock (_gate)
        {
            _before = null;
            return this;
        }
    }

    private bool TakeLocked(CoapMessage response, bool hasNumber, ulong number)
    {
        bool isNotification = response.HasOptions && response.Options.Contains(OptionNumber.Observe);
        if (isNotification && !observes)
        {
            return false;
        }

        if (!hasNumber)
        {
            // The nonce of the request is for one response, which is the oldest of the notifications.
            if (_hadRequestNonce || (isNotification && _next > 0))
            {
                return false;
            }

            _hadRequestNonce = true;
        }
        else if (observes)
        {
            if (number < _next)
            {
                return false;
            }

            _next = number + 1;
        }

        _isVerified = true;
        if (isNotification)
        {
            // Numbers of 40 bits have decided which is newer; the layer above compares 24 bits.
            response.Options.Observe = _delivered++ & ObserveOption.MaxValue;
        }

        return true;
    }
}
