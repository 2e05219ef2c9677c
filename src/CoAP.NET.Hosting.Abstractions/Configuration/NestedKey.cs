namespace CoAP.NET.Hosting;

/// <summary>A key of options inside other options.</summary>
internal sealed class NestedKey<TOuter, TInner>(ConfigurationKey<TInner> inner, Func<TOuter, TInner> find)
    : ConfigurationKey<TOuter>(inner.Path, inner.Allowed)
{
    public override bool IsList => inner.IsList;

    public override string ValueOf(TOuter target) => inner.ValueOf(find(target));

    public override IEnumerable<(int Index, string Problem)> Set(TOuter target, IReadOnlyList<string> values) =>
        inner.Set(find(target), values);
}
