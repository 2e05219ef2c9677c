using System.Globalization;
using CoAP.NET;

namespace Server;

/// <summary>What clients created below a resource: a bounded number, the oldest goes first.</summary>
internal sealed class Children(string parent)
{
    private const int MaxCount = 16;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, Representation> _children = [];
    private readonly Queue<string> _oldestFirst = new();
    private int _created;

    public CoapResult Create(CoapRequestContext request)
    {
        Representation child = new();
        child.Replace(request);
        string id;
        lock (_gate)
        {
            id = (++_created).ToString(CultureInfo.InvariantCulture);
            _children.Add(id, child);
            _oldestFirst.Enqueue(id);
            if (_children.Count > MaxCount)
            {
                _children.Remove(_oldestFirst.Dequeue());
            }
        }

        return CoapResults.Created($"{parent}/{id}");
    }

    public CoapResult Get(string id)
    {
        lock (_gate)
        {
            return _children.TryGetValue(id, out Representation? child) ? child.Get() : CoapResults.NotFound();
        }
    }
}
