using CoAP.NET.Observing;
using CoAP.NET.Options;
using CoAP.NET.Requests;

namespace CoAP.NET.Requesting;

// What the server sends: the answer to the registration and the notifications (RFC 7641 sections 3.2 to 3.5).
internal sealed partial class ObservedResource
{
    private bool _hasNumber;
    private uint _number;
    private TimeSpan _lastMaxAge;
    private long _numberAt;
    private bool _heardSinceSent;
    private CoapResponse? _stored;
    private ReadOnlyMemory<byte>? _echo;
    private CancellationTokenSource? _body;
    private int _bodyNumber;

    private void OnResponse(in Happening happening, CoapResponse response, long now)
    {
        bool isAnswer = happening.Transmission is not null;
        if (happening.Request != _standing || (isAnswer && happening.Transmission != _transmission))
        {
            return;
        }

        uint? number = response.Message.OptionsToRead?.Observe;
        KeepEcho(response);
        if (_phase == Phase.Cancelling)
        {
            if (isAnswer || number is null)
            {
                Free();
            }
        }
        else if (!response.IsSuccess)
        {
            OnErrorResponse(response, now);
        }
        else if (number is null)
        {
            OnPlainResponse(response, now);
        }
        else
        {
            OnNotification(response, number.Value, isAnswer, happening.IsOrdered, now);
        }
    }

    // RFC 7641 section 3.2: an error response ends the registration. A server that says how long it is right means it, and 5.03 and 4.29
    // (RFC 8516) always say it, by the default of Max-Age. Other errors without one say
    // nothing of the time: a device that is not there, or a representation in another format (section 4.2), may be there the next moment.
    private void OnErrorResponse(CoapResponse response, long now)
    {
        if (response.Code == CoapCode.Unauthorized && _echo is null && response.Options.Echo is { } echo && _standing is not null)
        {
            // RFC 9175 section 2.3: the server wants to know that the request is fresh and we are where it came from.
            StopTransmission();
            _mayBeRegistered = false;
            _echo = echo;
            Register(_standing.Channel, now);
            return;
        }

        _echo = null;
        Store(response);
        bool asksForPatience = response.Code == CoapCode.ServiceUnavailable || response.Code == CoapCode.TooManyRequests || response.Options.Contains(OptionNumber.MaxAge);
        Fail(new CoapResponseException(response), now, asksForPatience ? response.MaxAge : default, clearsRegistration: true, response);
    }

    private void OnPlainResponse(CoapResponse response, long now)
    {
        StopTransmission();
        CancelBody();
        _mayBeRegistered = false;
        _hasNumber = false;
        bool isValid = response.Code == CoapCode.Valid;
        CoapResponse? whole = isValid ? Revalidate(response) : response.Options.Block2 is { More: true } ? null : response;

        // What the tag of our registration named is still named by the next one.
        _stored = isValid ? whole : null;
        if (whole is null)
        {
            _phase = Phase.Waiting;
            WaitForNext(now, response.MaxAge + TimeSpan.FromTicks(RegistrationTimes.Patience(Chance())));
            Complete(isValid ? null : response, now);
        }
        else
        {
            BecomePlain(whole, now);
        }
    }

    // Who answers without Observe has no more room for observers, or none at all. Asked again when the response is no longer current, and then ever more rarely.
    private void BecomePlain(CoapResponse response, long now)
    {
        Store(response);
        if (!EndsFor(CoapObserveState.NotObserving, null, response))
        {
            _phase = Phase.Waiting;
            WaitForNext(now, response.MaxAge + TimeSpan.FromTicks(RegistrationTimes.Patience(Chance())));
            Publish(CoapObserveState.NotObserving, null, response);
        }
    }

    private void OnNotification(CoapResponse response, uint number, bool isAnswer, bool isOrdered, long now)
    {
        // What rides on the acknowledgement of a registration was made after the registration was sent, so after all that had come before: a server that
        // restarted and counts from the beginning is understood at once.
        bool isNewer = !_hasNumber || isOrdered || (isAnswer && !_heardSinceSent) || NotificationOrder.IsNewer(_number, _numberAt, number, now);
        if (!isNewer)
        {
            Environment.Counters.Add(CoapCounter.NotificationsOutOfOrder);
            if (isAnswer && _phase == Phase.Registering)
            {
                // How fresh we are the newer one says.
                BecomeRegistered(_numberAt);
                if (_body is null)
                {
                    Publish(CoapObserveState.Observing);
                }
            }

            return;
        }

        if (isAnswer || !_hasNumber)
        {
            // A notification says that the first registration arrived; one that came again may still be needed.
            StopTransmission();
        }

        _hasNumber = true;
        _number = number;
        _numberAt = now;
        _heardSinceSent = true;
        _lastMaxAge = response.MaxAge;
        BecomeRegistered(now);
        if (response.Code == CoapCode.Valid)
        {
            OnValid(response, now);
        }
        else if (response.Options.Block2 is { More: true })
        {
            Complete(response, now);
        }
        else
        {
            Deliver(response, CoapObserveState.Observing);
        }
    }

    private void BecomeRegistered(long heardAt)
    {
        _phase = Phase.Registered;
        _isStale = false;
        _failures = 0;
        _echo = null;
        _mayBeRegistered = true;
        _due = IsOnReliableConnection ? long.MaxValue : RegistrationTimes.StaleAt(heardAt, _lastMaxAge);
    }

    private void Deliver(CoapResponse response, CoapObserveState state, CoapException? error = null)
    {
        CancelBody();
        _stored = response;
        Store(response);
        Publish(state, error, response);
    }

    private void OnValid(CoapResponse response, long now)
    {
        if (Revalidate(response) is { } valid)
        {
            Deliver(valid, CoapObserveState.Observing);
        }
        else
        {
            Complete(null, now);
        }
    }

    /// <summary>What a 2.03 means; null when it names nothing that is there.</summary>
    // RFC 7641 section 3.3.2: what we named by its ETag is current again. Its payload is the stored one, its freshness the new one (RFC 7252 section 5.9.1.3).
    private CoapResponse? Revalidate(CoapResponse response)
    {
        if (_stored is null || !HaveSameTag(response, _stored))
        {
            return null;
        }

        CoapMessage message = new(_stored.Code) { Payload = _stored.Payload, Type = response.Message.Type, MessageId = response.Message.MessageId, Token = response.Message.Token };
        message.Options.AddAll(_stored.Options);
        CoapOptionCollection updated = response.Options;
        message.Options.Remove(OptionNumber.MaxAge);
        for (int i = 0; i < updated.Count; i++)
        {
            message.Options.Remove(updated.NumberAt(i));
        }

        message.Options.AddAll(updated);
        return response.With(message);
    }

    private static bool HaveSameTag(CoapResponse one, CoapResponse other) =>
        one.Options.ETag is { } tag && other.Options.ETag is { } otherTag && tag.Span.SequenceEqual(otherTag.Span);

    // RFC 9175 section 2.3: what came with an answer goes into the next message to the server. By it the server knows our address, and sends large notifications freely.
    private void KeepEcho(CoapResponse response)
    {
        if (response.IsSuccess && response.Message.OptionsToRead?.Echo is { } echo && _standing is { } standing)
        {
            standing.Channel.EchoToReturn = echo.ToArray();
        }
    }

    // What is known to be current answers plain requests as well (RFC 7641 section 3.3).
    private void Store(CoapResponse response)
    {
        if (_port.HasCache && Target.CacheMode != CoapCacheMode.Bypass && _standing is not null)
        {
            _port.Store(Outgoing(Target.Compose(0), 0), response);
        }
    }

    private OutgoingRequest Outgoing(CoapMessage message, long now) => new()
    {
        Request = new CoapRequest(message) { CacheMode = Target.CacheMode, BlockSize = Target.BlockSize },
        Message = message,
        Channel = _standing!.Channel,
        Target = Target.Uri,
        Timeout = null,
        StartedAt = now,
    };

    // RFC 7959 section 2.6: a notification carries the first block; the rest is fetched by requests of their own. A notification that comes meanwhile begins
    // anew, so that no representation is put together of two.
    private void Complete(CoapResponse? first, long now)
    {
        CancelBody();
        _body = new CancellationTokenSource();
        CoapMessage message = Target.Compose(null);
        message.Type = CoapMessageType.Confirmable;
        _ = AwaitBodyAsync(first, Outgoing(message, now), _bodyNumber, _body.Token);
    }

    private async Task AwaitBodyAsync(CoapResponse? first, OutgoingRequest request, int number, CancellationToken cancellationToken)
    {
        object result;
        try
        {
            result = await _port.CompleteAsync(first, request, cancellationToken).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever goes wrong, the observation goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            result = exception as CoapException ?? new CoapException($"The rest of a notification of {Target} could not be had: {exception.Message}", exception);
        }

        Post(new Happening { What = News.Body, Number = number, Subject = result });
    }

    private void OnBody(in Happening happening, long now)
    {
        if (_body is null || happening.Number != _bodyNumber)
        {
            return;
        }

        CancelBody();
        if (happening.Subject is not CoapResponse response)
        {
            Fail((CoapException)happening.Subject!, now);
        }
        else if (!response.IsSuccess)
        {
            Fail(new CoapResponseException(response), now, response.MaxAge, response: response);
        }
        else if (!_hasNumber)
        {
            BecomePlain(response, now);
        }
        else if (_phase == Phase.Registered)
        {
            _lastMaxAge = response.MaxAge;
            BecomeRegistered(now);
            Deliver(response, CoapObserveState.Observing);
        }
        else
        {
            Deliver(response, CoapObserveState.Reregistering, Snapshot.Error);
        }
    }

    private void CancelBody()
    {
        _bodyNumber++;
        if (_body is { } body)
        {
            _body = null;
            body.Cancel();
            body.Dispose();
        }
    }
}
