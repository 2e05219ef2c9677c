using CoAP.NET.Composition;
using CoAP.NET.Exchanges;
using CoAP.NET.Observing.Client;
using CoAP.NET.RequestSteps;

namespace CoAP.NET.Endpoints;

/// <summary>Takes over observations of an earlier process. Thread-safe; the caller must hold no lock.</summary>
internal sealed class ExportedObservationResumer(
    EndpointCore core, TransportSet transports, ChannelFinder channels, ClientObservations observed)
{
    public async Task<CoapObservation> ResumeObservationAsync(CoapExportedObservation state, CoapObservationOptions? options,
        CancellationToken cancellationToken)
    {
        CoapMessage message = new(state.Request.Code) { Type = CoapMessageType.Confirmable, Payload = state.Request.Payload };
        message.Options.AddAll(state.Request.Options);
        ObservationTarget target;
        CoapChannel channel;
        if (state.Peer is { } peer)
        {
            channel = peer.ChannelAt(core);
            target = new ObservationTarget($"{channel} at {channel.Local}", message) { Peer = channel };
        }
        else
        {
            CoapUri uri = RequestComposer.CheckTarget(state.Uri!);
            CoapTransport transport = await transports.ForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
            CoapAddress remote = (state.Address is { } address ? CoapAddress.FromIPEndPoint(address) : uri.Literal)
                ?? throw new ArgumentException($"{state.Uri} names a host and no address. Set Address to the address that has the "
                    + "registration.",
                    nameof(state));
            if (transport is CoapConnectionTransport)
            {
                throw new ArgumentException(
                    $"{state.Uri} needs a connection, and its registrations end with it. Observe the resource again.", nameof(state));
            }

            channel = channels.ChannelTo(transport, remote).ProtectedFor(uri, message);
            target = new ObservationTarget($"{uri.Scheme}://{uri.Authority}", message) { Uri = uri };
        }

        if (channel.IsReliable || channel.Carried is not null)
        {
            throw new ArgumentException(
                $"{channel} uses a connection or OSCORE, with which registrations end. Observe the resource again.",
                nameof(state));
        }

        return await observed.BeginAsync(target, options, cancellationToken,
            (registration, now) => registration.Resume(channel, state.Request.Token, state.Heard, now)).ConfigureAwait(false);
    }

    /// <summary>Holds notifications with unknown tokens. See <see cref="CoapEndpoint.PauseNotifications"/>.</summary>
    /// <param name="longest">The longest time to hold.</param>
    /// <returns>A handle that ends it.</returns>
    public IDisposable Pause(TimeSpan longest) =>
        new NotificationPauses(Array.ConvertAll(core.Pipelines, pipeline => pipeline.Sender.PauseNotifications(longest)));

    private sealed class NotificationPauses(UnmatchedNotificationHold[] ofShards) : IDisposable
    {
        public void Dispose() => Array.ForEach(ofShards, static hold => hold.Dispose());
    }
}
