using CoAP.NET.Observing;
using CoAP.NET.Observing.Server;
using CoAP.NET.Resources;

namespace CoAP.NET.Endpoints;

/// <summary>Restores observers of an earlier process.</summary>
/// <param name="rules">The rules that a request from a peer passes, too.</param>
/// <param name="routes">The routes.</param>
/// <param name="environment">For the plans of routes.</param>
/// <param name="state">The state of the endpoint, for example stopping.</param>
/// <param name="tables">The lists of observers of the shards.</param>
internal sealed class ObserverRestoring(
    RequestRules rules, RouteTable routes, CoapEnvironment environment, EndpointState state, ObserverTable[] tables)
{
    public CoapObserverRestoreResult Restore(CoapChannel channel, CoapPersistedObserver observer)
    {
        CoapMessage message = observer.Request;
        if (state.IsStopping)
        {
            return CoapObserverRestoreResult.Stopping;
        }

        OptionVerdict verdict = rules.CheckOptions(channel, message);
        if (!verdict.IsAccepted || (verdict.Special & RequestOptionFlags.Proxy) != 0
            || !message.OptionsToRead!.TryGetUInt(OptionNumber.Observe, out uint observe) || observe != ObserveOption.RegisterValue)
        {
            return CoapObserverRestoreResult.NotServed;
        }

        CoapRequestContext request = new(message, channel);
        if (routes.FindRoute(RouteTable.OptionsOf(request), request.Code, out int firstSegment) is not { } route)
        {
            return CoapObserverRestoreResult.NotServed;
        }

        EffectiveRouteSettings plan = route.GetPlan(environment);
        if (plan.Observing is not { } settings || !plan.Admits(request))
        {
            return CoapObserverRestoreResult.NotServed;
        }

        if (route.Template.HasParameters)
        {
            request.Route = route.GetValues(RouteTable.OptionsOf(request), firstSegment);
        }

        PendingObserverRegistration registration = plan.Register(route, settings, request, routes.Notifier);
        ObserverTable table = tables[channel.Shard.Index];
        table.Shard.Enter();
        try
        {
            return table.Restore(channel, message, verdict.Special & ~RequestOptionFlags.Observe, registration,
                observer.Format is { } known ? known.Value : Notification.AnyFormat, observer.NumbersFrom);
        }
        finally
        {
            table.Shard.ExitAndSend();
        }
    }
}
