using System.Globalization;
using System.Runtime.CompilerServices;
using CoAP.NET;

namespace Server;

// OBS_01 to 14: resources that change every five seconds, or when they are put
public static partial class PlugtestResources
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(5);

    // Around the sizes of one block and of two.
    private static readonly int[] s_pumpingLengths = [1000, 1024, 1025, 2048, 2049, 16];

    // A timer that nobody holds is collected; this lives as long as its server.
    private static readonly ConditionalWeakTable<CoapServer, ITimer> s_timers = [];

    private static void MapObservable(CoapServer server, TimeProvider time)
    {
        int changed = 0;
        List<CoapRouteHandlerBuilder> changing = [];
        int Changes() => Volatile.Read(ref changed);
        string Change() => string.Create(CultureInfo.InvariantCulture, $"change {Changes()}");

        MapChanging(changing, server, true, "/obs", Changes, Change, "Changes every 5 s");
        MapChanging(changing, server, false, "/obs-non", Changes, Change, "Changes every 5 s");
        MapChanging(changing, server, true, "/obs-large", Changes,
            () => $"{Change()}\n{LargeText.Make(LargeLength)}", "2,000 bytes that change every 5 s");
        MapChanging(changing, server, true, "/obs-pumping", Changes,
            () => LargeText.Make(s_pumpingLengths[Changes() % s_pumpingLengths.Length]), "Changes its size every 5 s");
        MapChanging(changing, server, true, "/obs-reset", Changes, Change,
            "For clients that reject notifications");
        MapLoad(server, true, "/obs-load", "Tells every observer of each change, by Confirmable messages");
        MapLoad(server, false, "/obs-load-non",
            "Tells every observer of each change, by Non-confirmable messages");

        void Tick()
        {
            // What is told must have changed: a clock read here might still be a little short of the period.
            Interlocked.Increment(ref changed);
            changing.ForEach(static route => route.Notify());
        }

        s_timers.Add(server, time.CreateTimer(_ => Tick(), null, s_period, s_period));
    }

    // OBS_07 to 09: what was put stays; what was deleted is gone, and comes back by itself some seconds later.
    private static void MapChanging(
        List<CoapRouteHandlerBuilder> changing, CoapServer server, bool confirmable, string path, Func<int> changes,
        Func<string> current, string title)
    {
        Representation put = new();
        int goneUntil = -1;
        bool IsGone() => !put.Exists && changes() < Volatile.Read(ref goneUntil);
        CoapResult Get() => put.Exists ? put.Get() : IsGone() ? CoapResults.NotFound() : CoapResults.Text(current());
        CoapRouteHandlerBuilder route = server.MapGet(path, () => Get().WithMaxAge(s_period)).WithTitle(title).Observable(observe =>
        {
            observe.MaxAge = s_period;
            observe.Confirmable = confirmable;
        });
        server.MapPut(path, request =>
        {
            bool wasGone = IsGone();
            put.Replace(request);
            route.Notify();
            return wasGone ? CoapResults.Created() : CoapResults.Changed();
        });
        server.MapDelete(path, () =>
        {
            Volatile.Write(ref goneUntil, changes() + 2);
            put.Delete();
            route.Notify();
            return CoapResults.Deleted();
        });
        changing.Add(route);
    }

    private static void MapLoad(CoapServer server, bool confirmable, string path, string title)
    {
        Representation load = new("twelve bytes");
        CoapRouteHandlerBuilder route = server.MapGet(path, () => load.Get()).WithTitle(title).Observable(observe =>
        {
            observe.MaxAge = TimeSpan.FromMinutes(1);
            observe.Confirmable = confirmable;
        });
        server.MapPut(path, request =>
        {
            CoapResult result = load.Replace(request);
            route.Notify();
            return result;
        });
    }
}
