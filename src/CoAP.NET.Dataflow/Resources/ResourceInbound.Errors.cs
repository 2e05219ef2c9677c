using CoAP.NET.Exchanges;

namespace CoAP.NET.Resources;

// What error answers say beside their code.
public sealed partial class ResourceInbound
{
    /// <summary>An error answer with the payload that the route wants for it.</summary>
    private CoapResult Describe(CoapExchange exchange, CoapResult result, Exception? error)
    {
        // A busy server has no time for it, and an Echo goes to who is not known to be there: its answer stays small.
        if (result.IsRefusal || result.AsksForEcho)
        {
            return result;
        }

        CoapRequest request = exchange.Request;
        Route? route = _routes.Find(request.Options, out _)?[request.Code];
        Func<CoapRequest, CoapResult, Exception?, CoapContent?>? describe = route is null ? _routes.Root.Settings.Describe : route.GetPlan(_environment).Describe;
        if (describe is null)
        {
            return result;
        }

        UserCode.Enter();
        try
        {
            return describe(request, result, error) is { } content ? result.CopyWith(content) : result;
        }
#pragma warning disable CA1031 // users' code may throw anything; the answer goes out as it is
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Counters.Add(CoapCounter.HandlerErrors);
            Report(static (stage, path, thrown) => Log.DescribingFailed(stage.Logger, path, thrown!), route?.Template.Text ?? "an unknown path", exception, exchange);
            return result;
        }
        finally
        {
            UserCode.Exit();
        }
    }
}
