using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Observing;

/// <summary>Creates what another process needs to take over an observation.</summary>
internal static class ObservationKeeping
{
    /// <summary>Returns it to a waiting caller. Only for the thread that is busy with the observation.</summary>
    public static void Tell(TaskCompletionSource<CoapKeptObservation?> waiting, ClientObservation observation,
        ClientRegistration registration, long now)
    {
        CoapEnvironment environment = observation.Environment;
        environment.Tell(
            static state =>
            {
                (TaskCompletionSource<CoapKeptObservation?> waiting, CoapKeptObservation? kept) =
                    ((TaskCompletionSource<CoapKeptObservation?>, CoapKeptObservation?))state!;
                waiting.TrySetResult(kept);
            },
            (waiting, Of(observation.Target, registration, environment, now)));
    }

    // Registrations end with a connection (RFC 8323 section 3.4), and notifications within OSCORE are bound to numbers of this process.
    private static CoapKeptObservation? Of(ObservationTarget target, ClientRegistration registration, CoapEnvironment environment, long now)
    {
        if (registration.Phase is RegistrationPhase.Cancelling or RegistrationPhase.Over || registration.Standing is not { } standing
            || standing.Channel is not { IsReliable: false, Carried: null } channel)
        {
            return null;
        }

        CoapMessage request = target.Compose(Observe.RegisterValue, standing.Token);
        CoapHeardNotification? heard = registration.Phase == RegistrationPhase.Registered
            ? registration.Representation.Heard(environment.TimeProvider.GetUtcNow(), now)
            : null;
        if (channel.IsConnection)
        {
            return channel.Connection!.DurableId.IsEmpty ? null : new CoapKeptObservation(CoapPeer.Of(channel), request) { Heard = heard };
        }

        return new CoapKeptObservation(target.Uri is { } uri && target.Peer is null ? uri.ToString() : channel.ToString(), request)
        {
            Address = channel.Remote,
            Heard = heard,
        };
    }
}
