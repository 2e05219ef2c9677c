using System.Globalization;
using CoAP.NET;

namespace Server;

// OBS_01 to 14: resources that change every five seconds, or when they are put
internal static partial class PlugtestResources
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(5);

    // Around the sizes of one block and of two.
    private static readonly int[] s_pumpingLengths = [1000, 1024, 1025, 2048, 2049, 16];

    private static void MapObservable(CoapServer server, TimeProvider time)
    {
        long started = time.GetTimestamp();
        int Changes() => (int)(time.GetElapsedTime(started) / s_period);
        string Change() => string.Create(CultureInfo.InvariantCulture, $"change {Changes()}");

        MapChanging(server, "/obs", Changes, Change, "Changes every 5 s");
        MapChanging(server, "/obs-non", Changes, Change, "Changes every 5 s");
        MapChanging(server, "/obs-large", Changes, () => $"{Change()}\n{LargeText.Make(LargeLength)}", "2,000 bytes that change every 5 s");
        MapChanging(server, "/obs-pumping", Changes, () => LargeText.Make(s_pumpingLengths[Changes() % s_pumpingLengths.Length]), "Changes its size every 5 s");
        MapChanging(server, "/obs-reset", Changes, Change, "For clients that reject notifications");
        MapLoad(server, "/obs-load", "Tells every observer of each change, by Confirmable messages");
        MapLoad(server, "/obs-load-non", "Tells every observer of each change");
    }

    // OBS_07 to 09: what was put stays; what was deleted is gone, and comes back by itself some seconds later.
    private static void MapChanging(CoapServer server, string path, Func<int> changes, Func<string> current, string title)
    {
        Representation put = new();
        int goneUntil = -1;
        server.MapGet(path, () =>
        {
            CoapResult result = put.Exists ? put.Get() : changes() < Volatile.Read(ref goneUntil) ? CoapResults.NotFound() : CoapResults.Text(current());
            return result.WithMaxAge(s_period);
        }).WithTitle(title);
        server.MapPut(path, put.Replace);
        server.MapDelete(path, () =>
        {
            Volatile.Write(ref goneUntil, changes() + 2);
            put.Delete();
            return CoapResults.Deleted();
        });
    }

    private static void MapLoad(CoapServer server, string path, string title)
    {
        Representation load = new("twelve bytes");
        server.MapGet(path, () => load.Get()).WithTitle(title);
        server.MapPut(path, load.Replace);
    }
}
