namespace CoAP.NET.Tests.Caching;

/// <summary>
/// The rules of RFC 7252 section 5.6 in the plainest form: lists, no bounds, whole seconds. The cache is held against it.
/// </summary>
internal sealed class CacheModel
{
    private readonly Dictionary<string, List<Entry>> _entries = [];
    private readonly Dictionary<string, int> _changes = [];
    private int _clears;

    public (int Changes, int Clears) Begin(string uri) => (_changes.GetValueOrDefault(uri), _clears);

    public Entry? Fresh(string key, int now) =>
        _entries.GetValueOrDefault(key)?.Find(entry => entry.IsCurrent && now < entry.At + entry.MaxAge);

    public byte[] Tags(string key) =>
        [.. (_entries.GetValueOrDefault(key) ?? []).Where(entry => entry.Tag is not null).Select(entry => entry.Tag!.Value)];

    public void Store(string key, string uri, (int, int) begun, CoapCode code, string text, byte? tag, uint maxAge, int now)
    {
        if (begun != Begin(uri))
        {
            return;
        }

        bool isStored = maxAge > 0 && (code == CoapCode.Content || code.Class is 4 or 5);
        List<Entry> entries = Forget(key);
        if (isStored)
        {
            entries.RemoveAll(entry => entry.Tag == tag);
            entries.Insert(0, new Entry(code, text, tag, now, maxAge, true));
            if (entries.Count > 4)
            {
                entries.RemoveAt(4);
            }
        }
    }

    public void Refresh(string key, string uri, (int, int) begun, byte tag, uint maxAge, int now, Entry entry)
    {
        if (begun != Begin(uri))
        {
            return;
        }

        List<Entry> entries = Forget(key);
        entries.RemoveAll(stored => stored.Tag == tag);
        entries.Insert(0, entry with { At = now, MaxAge = maxAge, IsCurrent = true });
        if (entries.Count > 4)
        {
            entries.RemoveAt(4);
        }
    }

    public Entry Named(string key, byte tag) => _entries[key].Find(entry => entry.Tag == tag)!;

    public void Change(string uri, IEnumerable<string> keys)
    {
        _changes[uri] = _changes.GetValueOrDefault(uri) + 1;
        foreach (string key in keys)
        {
            Forget(key);
        }
    }

    public void Clear()
    {
        _clears++;
        _entries.Clear();
    }

    // Nothing older is used without asking; what has no tag cannot be asked about.
    private List<Entry> Forget(string key)
    {
        if (!_entries.TryGetValue(key, out List<Entry>? entries))
        {
            _entries.Add(key, entries = []);
        }

        for (int i = 0; i < entries.Count; i++)
        {
            entries[i] = entries[i] with { IsCurrent = false };
        }

        entries.RemoveAll(entry => entry.Tag is null);
        return entries;
    }

    internal sealed record Entry(CoapCode Code, string Text, byte? Tag, int At, uint MaxAge, bool IsCurrent);
}
