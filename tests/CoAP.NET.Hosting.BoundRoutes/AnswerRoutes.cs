namespace CoAP.NET.Hosting.BoundRoutes;

/// <summary>Handlers with each kind of result and of delegate.</summary>
public sealed class AnswerRoutes
{
    private readonly string _greeting = "hello";

    public static int Calls { get; private set; }

    public void Map(ICoapRouteBuilder routes)
    {
        MapNothing(routes);
        MapValues(routes);
        MapForms(routes);
    }

    private static void MapNothing(ICoapRouteBuilder routes)
    {
        CoapMethod[] all = [CoapMethod.Get, CoapMethod.Post, CoapMethod.Put, CoapMethod.Delete, CoapMethod.Fetch, CoapMethod.Patch,
            CoapMethod.IPatch];
        routes.Map("/nothing/void", all, (int? n) => { Calls += n ?? 1; });
        routes.Map("/nothing/task", all, async (int? n) =>
        {
            await Task.Yield();
            Calls += n ?? 1;
        });
        routes.Map("/nothing/valuetask", all, (int? n) =>
        {
            Calls += n ?? 1;
            return ValueTask.CompletedTask;
        });
    }

    private static void MapValues(ICoapRouteBuilder routes)
    {
        routes.MapGet("/value/device/{id}", (string id, IDeviceStore store, CancellationToken ct) => store.FindAsync(id, ct));
        routes.MapGet("/value/list", (IDeviceStore store, int limit = 2) => store.List(limit));
        routes.MapGet("/value/number", () => 21.5);
        routes.MapGet("/value/null", (int? n) => n);
        routes.MapPost("/value/post", (Device device) => device);
        routes.MapDelete("/value/{id}", (string id, IDeviceStore store) => store.Remove(id) ? null : CoapResults.NotFound("unknown"));
        routes.MapGet("/value/text", (string? q) => q);
        routes.MapGet("/value/bytes", (bool none) => none ? null : new byte[] { 1, 2, 3 });
        routes.MapGet("/value/memory", (int n) => new ReadOnlyMemory<byte>(new byte[n]));
        routes.MapGet("/value/content", (int n) => new ValueTask<CoapContent>(CoapContent.Text($"{n}", CoapContentFormat.LinkFormat)));
        routes.MapGet("/value/result", (int n) => n == 0 ? CoapResults.Conflict() : CoapResults.Created());
        routes.MapGet("/value/object",
            (int n) => n switch { 0 => CoapResults.Conflict(), 1 => "text", 2 => new byte[] { 7 }, _ => (object)new Device("object", n) });
        routes.MapGet("/value/async", async (int n) =>
        {
            await Task.Yield();
            return new Device($"{n}", n);
        });
    }

    private void MapForms(ICoapRouteBuilder routes)
    {
        routes.MapGet("/form/static-lambda", static (int n) => $"{n}");
        routes.MapGet("/form/method", StaticMethod);
        routes.MapGet("/form/instance", InstanceMethod);
        routes.MapGet("/form/local", Local);
        routes.MapGet("/form/cast", (Func<int, string>)(n => $"cast {n}"));
        routes.MapGet("/form/defaults", MethodWithDefault);
        CoapRouteBuilderExtensions.MapGet(handler: (int n) => $"named {n}", template: "/form/named", routes: routes);
        routes?.MapGet("/form/conditional", (int n) => $"maybe {n}");

        string Local(int n) => $"local {n} {_greeting}";
    }

    private static string StaticMethod(int n) => $"method {n}";

    private static string MethodWithDefault(int n = 3) => $"default {n}";

    private string InstanceMethod(int n) => $"{_greeting} {n}";
}
