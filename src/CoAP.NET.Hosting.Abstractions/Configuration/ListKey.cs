namespace CoAP.NET.Hosting;

/// <summary>A key with several values, which replace those of the default.</summary>
internal sealed class ListKey<TTarget, TValue>(string path, ValueKind<TValue> kind, Func<TTarget, IList<TValue>> list)
    : ConfigurationKey<TTarget>(path, $"list; each {kind.Allowed}")
{
    public override bool IsList => true;

    public override string ValueOf(TTarget target) =>
        list(target) is { Count: > 0 } values ? string.Join("; ", values.Select(kind.Format)) : "none";

    public override IEnumerable<(int Index, string Problem)> Set(TTarget target, IReadOnlyList<string> values)
    {
        List<(int, string)> problems = [];
        IList<TValue> parsed = list(target);
        parsed.Clear();
        for (int i = 0; i < values.Count; i++)
        {
            if (kind.TryParse(values[i], out TValue value))
            {
                parsed.Add(value);
            }
            else
            {
                problems.Add((i, $"allowed is: {kind.Allowed}"));
            }
        }

        return problems;
    }
}
