namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Which context a request of ours gets.</summary>
public sealed class ContextsTests
{
    [Theory]
    [InlineData("coap://h.example/door", true)]
    [InlineData("coap://H.Example:5683/.well-known", true)]
    [InlineData("coap://h.example/.well-known/edhoc", false)]
    [InlineData("coap://h.example/.well-known/edhoc/", true)]
    [InlineData("coap://h.example/.well-known%2Fedhoc", true)]
    [InlineData("coap://h.example/.well-known/edhoc/x", true)]
    [InlineData("coap://h.example/keys", false)]
    [InlineData("coap://h.example:5684/door", false)]
    [InlineData("coaps://h.example:5683/door", false)]
    [InlineData("coap://%48.example/door", true)]
    public void A_request_uses_the_context_of_its_host_unless_its_path_is_configured_as_unprotected(string uri, bool isProtected)
    {
        OscoreContext context = OscoreWorld.ClientContext();
        OscoreContexts contexts = new OscoreContexts().Add("coap://h.example/any", context)
            .LeavePlain("/.well-known/edhoc").LeavePlain("keys").LeavePlain("/keys");

        Assert.Same(isProtected ? context : null, contexts.FindFor(CoapUri.Parse(uri)));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("aa")]
    [InlineData("")]
    public void A_Recipient_ID_is_in_use_while_a_context_with_any_ID_Context_has_it(string? idContext)
    {
        OscoreContexts contexts = new();
        OscoreContext context = OscoreWorld.ServerContext(idContext, "05");
        OscoreContext other = OscoreWorld.ServerContext("bb", "05");
        contexts.Add(context).Add(other);

        Assert.True(contexts.IsRecipient(new byte[] { 5 }));
        Assert.False(contexts.IsRecipient(new byte[] { 6 }));
        contexts.Remove(other);
        Assert.True(contexts.IsRecipient(new byte[] { 5 }));
        contexts.Remove(context);
        Assert.False(contexts.IsRecipient(new byte[] { 5 }));
    }

    [Fact]
    public void Finding_the_context_of_a_request_allocates_no_memory()
    {
        OscoreContexts contexts = new OscoreContexts().Add("coap://h.example", OscoreWorld.ClientContext())
            .LeavePlain("/.well-known/edhoc").LeavePlain("/b");
        CoapUri[] targets =
        [
            CoapUri.Parse("coap://h.example/a/b"), CoapUri.Parse("coap://h.example/b"), CoapUri.Parse("coap://other.example/a"),
        ];

        Assert.Equal(0, Allocations.Least(() =>
        {
            foreach (CoapUri target in targets)
            {
                contexts.FindFor(target);
            }
        }));
    }
}
