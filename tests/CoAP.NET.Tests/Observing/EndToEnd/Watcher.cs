using System.Globalization;

namespace CoAP.NET.Tests.Observing.EndToEnd;

/// <summary>One observation of a resource whose representation is its name and its version, and what it was told.</summary>
internal sealed class Watcher(string name)
{
    private readonly Lock _gate = new();

    public string Name { get; } = name;

    /// <summary>The newest version that it was told.</summary>
    public int Seen { get; private set; } = -1;

    public int Calls { get; private set; }

    public int Errors { get; private set; }

    /// <summary>What must never happen: an older version after a newer one, or somebody else's representation.</summary>
    public List<string> Wrong { get; } = [];

    public bool IsDisposed { get; private set; }

    public Task<CoapObservation>? Registering { get; private set; }

    public CoapObservation Observation => Registering!.Result;

    public void Begin(CoapClient client, CoapRequest request) =>
        Registering = client.ObserveAsync(request, new CoapObservationOptions { OnNotification = OnNotification });

    public async Task DisposeAsync()
    {
        CoapObservation observation = await Registering!.WaitAsync(FromMinutes(2));
        await observation.DisposeAsync();
        IsDisposed = true;
    }

    private void OnNotification(CoapResponse response)
    {
        lock (_gate)
        {
            Calls++;
            if (IsDisposed)
            {
                Wrong.Add("told after it was disposed");
            }

            if (!response.IsSuccess)
            {
                Errors++;
                return;
            }

            // A large representation goes on with the same text again and again.
            string text = response.GetText();
            string[] parts = text[..text.IndexOf(';', Ordinal)].Split(':');
            int version = int.Parse(parts[1], CultureInfo.InvariantCulture);
            if (parts[0] != Name || text != ObservedWorld.Representation(Name, version, text.Length))
            {
                Wrong.Add($"a mixture: {text[..Math.Min(text.Length, 60)]}");
            }

            if (version < Seen)
            {
                Wrong.Add($"{version} after {Seen}");
            }

            Seen = Math.Max(Seen, version);
        }
    }
}
