using CoAP.NET.Options;
using CoAP.NET.Requests;

namespace CoAP.NET.Observing;

/// <summary>
/// Takes what the server sends: the answer to the registration and the notifications (RFC 7641 sections 3.2 to 3.5). Belongs to whoever is
/// busy with the observation; no lock may be held.
/// </summary>
internal sealed class ClientNotifications(ClientObservation observation, ClientRegistration registration, ObservationPort port)
{
    private readonly ObservedRepresentation _representation = registration.Representation;
    private readonly BodyFetch _body = registration.Body;

    private ObservationTarget Target => observation.Target;

    /// <summary>A response with the token of the observation came.</summary>
    public void OnResponse(in ObservationEvent happened, CoapResponse response, long now)
    {
        bool isAnswer = happened.Transmission is not null;
        if (happened.Request != registration.Standing || (isAnswer && !registration.IsCurrent(happened.Transmission)))
        {
            return;
        }

        uint? number = response.Message.OptionsToRead?.Observe;
        KeepEcho(response);
        if (registration.Phase == RegistrationPhase.Cancelling)
        {
            if (isAnswer || number is null)
            {
                registration.Free();
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
            OnNotification(response, number.Value, isAnswer, happened.IsOrdered, now);
        }
    }

    /// <summary>The rest of a representation is there, or cannot be had.</summary>
    public void OnBody(in ObservationEvent happened, long now)
    {
        if (!_body.IsCurrent(happened))
        {
            return;
        }

        _body.Cancel();
        if (happened.Response is not { } response)
        {
            registration.Fail(happened.Error!, now);
        }
        else if (!response.IsSuccess)
        {
            registration.Fail(new CoapResponseException(response), now, response.MaxAge, response: response);
        }
        else if (!_representation.HasNumber)
        {
            BecomePlain(response, now);
        }
        else if (registration.Phase == RegistrationPhase.Registered)
        {
            _representation.MaxAge = response.MaxAge;
            registration.BecomeRegistered(now);
            Deliver(response, CoapObserveState.Observing);
        }
        else
        {
            Deliver(response, CoapObserveState.Reregistering, observation.Snapshot.Error);
        }
    }

    // RFC 7641 section 3.2: an error response ends the registration. A server that says how long it is right means it, and 5.03 and 4.29
    // (RFC 8516) always say it, by the default of Max-Age. Other
    // errors without one say nothing of the time: a device that is not there, or a representation in another format (section 4.2), may be
    // there the next moment.
    private void OnErrorResponse(CoapResponse response, long now)
    {
        registration.Echo = null;
        if (response.Code == CoapCode.Unauthorized && response.Options.Echo is { } echo && registration.Standing is { } standing)
        {
            if (registration.Challenges++ < EchoStep.MaxChallenges)
            {
                // RFC 9175 section 2.3: the server wants to know that the request is fresh and we are where it came from.
                registration.StopTransmission();
                registration.Unregister();
                registration.Echo = echo;
                registration.Register(standing.Channel, now);
                return;
            }

            // The next attempt answers it.
            standing.Channel.EchoToReturn = echo.ToArray();
        }

        Store(response);
        bool asksForPatience = response.Code == CoapCode.ServiceUnavailable || response.Code == CoapCode.TooManyRequests
            || response.Options.Contains(OptionNumber.MaxAge);
        registration.Fail(new CoapResponseException(response), now, asksForPatience ? response.MaxAge : default, clearsRegistration: true,
            response);
    }

    private void OnPlainResponse(CoapResponse response, long now)
    {
        // It was for that registration. A proxy does not observe for one that shows a server behind it an Echo.
        registration.Echo = null;
        registration.StopTransmission();
        _body.Cancel();
        registration.Unregister();
        _representation.ForgetNumber();
        bool isValid = response.Code == CoapCode.Valid;
        CoapResponse? whole = isValid ? _representation.Revalidate(response) : response.Options.Block2 is { More: true } ? null : response;

        // What the tag of our registration named is still named by the next one.
        _representation.Stored = isValid ? whole : null;
        if (whole is null)
        {
            registration.BecomeUnregistered(response, now);
            Complete(isValid ? null : response, now);
        }
        else
        {
            BecomePlain(whole, now);
        }
    }

    // Who answers without Observe has no more room for observers, or none at all.
    private void BecomePlain(CoapResponse response, long now)
    {
        Store(response);
        if (!registration.EndsFor(CoapObserveState.NotObserving, null, response))
        {
            registration.BecomeUnregistered(response, now);
            observation.Publish(CoapObserveState.NotObserving, null, response);
        }
    }

    private void OnNotification(CoapResponse response, uint number, bool isAnswer, bool isOrdered, long now)
    {
        if (!_representation.IsNewer(number, isAnswer, isOrdered, now))
        {
            observation.Environment.Counters.Add(CoapCounter.NotificationsOutOfOrder);
            if (isAnswer && registration.Phase == RegistrationPhase.Registering)
            {
                // How fresh we are the newer one says.
                registration.BecomeRegistered(_representation.HeardAt);
                if (!_body.IsUnderWay)
                {
                    observation.Publish(CoapObserveState.Observing);
                }
            }

            return;
        }

        if (isAnswer || !_representation.HasNumber)
        {
            // A notification says that the first registration arrived; one that came again may still be needed.
            registration.StopTransmission();
        }

        _representation.Note(number, response.MaxAge, now);
        registration.BecomeRegistered(now);
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

    private void OnValid(CoapResponse response, long now)
    {
        if (_representation.Revalidate(response) is { } valid)
        {
            Deliver(valid, CoapObserveState.Observing);
        }
        else
        {
            Complete(null, now);
        }
    }

    private void Deliver(CoapResponse response, CoapObserveState state, CoapException? error = null)
    {
        _body.Cancel();
        _representation.Stored = response;
        Store(response);
        observation.Publish(state, error, response);
    }

    // RFC 9175 section 2.3: what came with an answer goes into the next message to the server. By it the server knows our address, and
    // sends large notifications freely.
    private void KeepEcho(CoapResponse response)
    {
        if (response.IsSuccess && response.Message.OptionsToRead?.Echo is { } echo && registration.Standing is { } standing)
        {
            standing.Channel.EchoToReturn = echo.ToArray();
        }
    }

    // What is known to be current answers plain requests as well (RFC 7641 section 3.3).
    private void Store(CoapResponse response)
    {
        if (port.HasCache && Target.CacheMode != CoapCacheMode.Bypass && registration.Standing is not null)
        {
            port.Store(Outgoing(Target.Compose(Observe.RegisterValue), 0), response);
        }
    }

    private void Complete(CoapResponse? first, long now)
    {
        CoapMessage message = Target.Compose(null);
        message.Type = CoapMessageType.Confirmable;
        _body.Begin(first, Outgoing(message, now));
    }

    private OutgoingRequest Outgoing(CoapMessage message, long now) => new()
    {
        Request = new CoapRequest(message) { CacheMode = Target.CacheMode, BlockSize = Target.BlockSize, IsForwarded = Target.IsForwarded },
        Message = message,
        Channel = registration.Standing!.Channel,
        Target = Target.Uri,
        IsOfTarget = Target.IsOfUri,
        Timeout = null,
        StartedAt = now,
    };
}
