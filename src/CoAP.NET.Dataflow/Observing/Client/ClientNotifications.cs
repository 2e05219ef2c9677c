using CoAP.NET.Exchanges;
using CoAP.NET.RequestSteps;

namespace CoAP.NET.Observing.Client;

/// <summary>
/// Handles the messages of the server: the response to the registration and the notifications (RFC 7641 sections 3.2 to 3.5). Used only on
/// the thread that processes its events; the caller must hold no lock.
/// </summary>
internal sealed class ClientNotifications(
    ClientObservation observation, ObserveClientRegistration registration, ClientObservationContext context)
{
    private readonly ObservedRepresentation _representation = registration.Representation;
    private readonly ReplaceableObservationTask<CoapResponse> _body = registration.Body;

    private ObservationTarget Target => observation.Target;

    public void OnResponse(in ClientObservationInput happened, long now)
    {
        CoapResponse response = happened.Response!;
        bool isAnswer = happened.Transmission is not null;
        if (happened.Request != registration.MultiResponseToken || (isAnswer && happened.Transmission != registration.Peer.Transmission))
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

    /// <summary>Handles the end of a fetch, with or without the rest of a representation.</summary>
    public void OnBody(CoapResponse? response, CoapException? error, long now)
    {
        if (response is null)
        {
            registration.Fail(error!, now);
        }
        else if (!response.IsSuccess)
        {
            registration.Fail(new CoapResponseException(response), now, response.MaxAge, response: response);
        }
        else if (!_representation.HasNumber)
        {
            BecomePlain(response, now);
        }
        else if (registration.Phase is RegistrationPhase.Registered or RegistrationPhase.Stale)
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

    // RFC 7641 section 3.2: an error response ends the registration. If the error has a Max-Age, it is valid for that time, and 5.03 and
    // 4.29 (RFC 8516) always have one, by the default. Other errors without one do not say how long they are valid: an unreachable device,
    // or a representation in another format (section 4.2), may be available the next moment.
    private void OnErrorResponse(CoapResponse response, long now)
    {
        registration.Echo = null;
        if (response.Code == CoapCode.Unauthorized && response.Options.Echo is { } echo && registration.MultiResponseToken is { } standing)
        {
            if (registration.Challenges++ < EchoStep.MaxChallenges)
            {
                // RFC 9175 section 2.3: the server requests proof that the request is fresh and that we receive at its source address.
                registration.Peer.Stop();
                registration.Peer.MayBeRegistered = false;
                registration.Echo = echo;
                registration.Register(standing.Channel, now);
                return;
            }

            // The next attempt returns the value.
            PeerRequestStepState.GetOrAdd(standing.Channel).EchoToReturn = echo.ToArray();
        }

        if (TriesOtherProxyForm(response.Code, now))
        {
            return;
        }

        Store(response);
        TimeSpan wait = response.RetryAfter ?? (response.Options.Contains(OptionNumber.MaxAge) ? response.MaxAge : default);
        registration.Fail(new CoapResponseException(response), now, wait, clearsRegistration: true, response);
    }

    // A proxy that does not know Proxy-Uri is asked by Proxy-Scheme; see ProxySchemeFallbackStep.
    private bool TriesOtherProxyForm(CoapCode code, long now)
    {
        if (!ProxySchemeFallbackStep.IsRefusal(code) || registration.Phase != RegistrationPhase.Registering
            || registration.MultiResponseToken?.Channel is not { Carried: null } proxy
            || Target.Message.OptionsToRead?.Contains(OptionNumber.ProxyUri) != true)
        {
            return false;
        }

        PeerRequestStepState facts = PeerRequestStepState.GetOrAdd(proxy);
        facts.TakesProxyScheme = !facts.TakesProxyScheme;
        if (facts.TakesProxyScheme)
        {
            registration.Peer.Stop();
            registration.Peer.MayBeRegistered = false;
            registration.Register(proxy, now);
        }

        return facts.TakesProxyScheme;
    }

    private void OnPlainResponse(CoapResponse response, long now)
    {
        // It was for that registration. A proxy does not observe for a client that shows an Echo to a server behind the proxy.
        registration.Echo = null;
        registration.Peer.Stop();
        _body.Cancel();
        registration.Peer.MayBeRegistered = false;
        _representation.ForgetNumber();
        bool isValid = response.Code == CoapCode.Valid;
        CoapResponse? whole = isValid ? _representation.Revalidate(response) : response.Options.Block2 is { More: true } ? null : response;

        // The entity-tag of our registration remains valid for the next one.
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

    // A server that answers without Observe has no more room for observers, or does not support them.
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
                // The newer response determines the freshness.
                registration.BecomeRegistered(_representation.HeardAt);
                if (!_body.IsRunning)
                {
                    observation.Publish(CoapObserveState.Observing);
                }
            }

            return;
        }

        if (isAnswer || !_representation.HasNumber)
        {
            // A notification shows that the first registration arrived; a repeated one may still be needed.
            registration.Peer.Stop();
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

    // RFC 9175 section 2.3: the Echo of a response goes into the next message to the server. It verifies our address, so that the server
    // sends large notifications without limit.
    private void KeepEcho(CoapResponse response)
    {
        if (response.IsSuccess && response.Message.OptionsToRead?.Echo is { } echo && registration.MultiResponseToken is { } standing)
        {
            PeerRequestStepState.GetOrAdd(standing.Channel).EchoToReturn = echo.ToArray();
        }
    }

    // A representation that is known to be current also answers plain requests (RFC 7641 section 3.3).
    private void Store(CoapResponse response)
    {
        if (context.Cache is { } cache && Target.CacheMode != CoapCacheMode.Bypass && registration.MultiResponseToken is not null)
        {
            cache.Store(Outgoing(Target.Compose(ObserveOption.RegisterValue), 0), response);
        }
    }

    private void Complete(CoapResponse? first, long now)
    {
        CoapMessage message = Target.Compose(null);
        message.Type = CoapMessageType.Confirmable;
        _body.Await(context.CompleteAsync(first, Outgoing(message, now), _body.Start()));
    }

    private OutgoingRequest Outgoing(CoapMessage message, long now) => new()
    {
        Request = new CoapRequest(message)
        {
            CacheMode = Target.CacheMode, BlockSize = Target.BlockSize, IsForwarded = Target.IsForwarded, OnBehalfOf = Target.OnBehalfOf,
        },
        Message = message,
        Channel = registration.MultiResponseToken!.Channel,
        Target = Target.Uri,
        IsOfTarget = Target.IsOfUri,
        Timeout = null,
        StartedAt = now,
    };
}
