namespace CoAP.NET.Hosting;

/// <summary>A key with one value.</summary>
internal sealed class ScalarKey<TTarget, TValue>(string path, ValueKind<TValue> kind, Func<TTarget, object?> get,
    Action<TTarget, TValue> set)
    : ConfigurationKey<TTarget>(path, kind.Allowed)
{
    public override string ValueOf(TTarget target) => get(target) is { } value ? kind.Format((TValue)value) : "none";

    public override IEnumerable<(int Index, string Problem)> Set(TTarget target, IReadOnlyList<string> values)
    {
        if (!kind.TryParse(values[0], out TValue value))
        {
            return [(0, $"allowed is: {Allowed}")];
        }

        try
        {
            set(target, value);
            return [];
        }
        catch (ArgumentException exception)
        {
            // A limit beyond a range. The parameter name means nothing to a writer of configuration.
            return [(0, exception.Message.Split(" (Parameter '")[0])];
        }
    }
}
