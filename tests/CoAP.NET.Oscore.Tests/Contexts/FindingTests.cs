namespace CoAP.NET.Oscore.Tests.Contexts;

public sealed class FindingTests
{
    private readonly OscoreContexts _contexts = new();

    [Fact]
    public void A_kid_without_an_ID_Context_finds_the_only_context_with_that_kid()
    {
        OscoreContext first = OscoreWorld.ServerContext(idContext: "aa", client: "07");
        OscoreContext second = OscoreWorld.ServerContext(idContext: "bb", client: "07");
        _contexts.Add(first);
        Assert.Same(first, Find());
        Assert.Same(first, Find("aa"));
        Assert.Null(Find("bb"));

        _contexts.Add(second);
        Assert.Null(Find());
        Assert.Same(second, Find("bb"));

        _contexts.Remove(first);
        Assert.Same(second, Find());
        Assert.Null(Find("aa"));

        OscoreContext plain = OscoreWorld.ServerContext(client: "07");
        _contexts.Add(plain);
        Assert.Same(plain, Find());
        Assert.Same(second, Find("bb"));

        _contexts.Remove(plain);
        _contexts.Remove(second);
        Assert.Null(Find());
        Assert.Equal(0, _contexts.Count);
    }

    private OscoreContext? Find(string? idContext = null) =>
        _contexts.TryFind([7], idContext is not null, idContext is null ? [] : Convert.FromHexString(idContext), out OscoreContext? context)
            ? context
            : null;
}
