namespace CoAP.NET.Oscore.Tests.Contexts;

/// <summary>Who the peer of a context is.</summary>
public sealed class PeerIdTests
{
    [Fact]
    public void The_owner_of_a_key_exchange_is_the_same_peer_in_each_session_and_a_reassigned_kid_is_not()
    {
        CoapPeerId? alice = IdOf("04", "alice");

        Assert.Equal("edhoc:alice", $"{alice}");
        Assert.Equal(alice, IdOf("05", "alice"));
        Assert.NotEqual(alice, IdOf("04", "mallory"));
        Assert.NotEqual(alice, IdOf("04", null));
    }

    [Fact]
    public void An_owner_without_a_text_is_never_named_by_the_kid() => Assert.Null(IdOf("04", new object()));

    [Fact]
    public void A_context_with_IDs_of_the_application_is_the_same_peer_after_a_restart()
    {
        Assert.Equal("oscore:04", $"{IdOf("04", null)}");
        Assert.Equal(IdOf("04", null), IdOf("04", null));
        Assert.Equal("oscore:04;context=aa", $"{IdOf("04", null, "aa")}");
        Assert.NotEqual(IdOf("04", null), IdOf("04", null, "aa"));
    }

    [Fact]
    public void A_context_that_derives_new_keys_for_each_run_is_the_same_peer_in_all_runs()
    {
        using OscoreParameters parameters = new(new byte[16], [1], [4]);
        OscoreContext[] starts = [OscoreContext.CreateRederived(parameters), OscoreContext.CreateRederived(parameters)];
        OscoreContext[] runs = [.. starts.Select(context => context.Rederivation!.ForRequest(out _))];

        Assert.NotEqual(runs[0].Parameters.IdContextBytes.ToArray(), runs[1].Parameters.IdContextBytes.ToArray());
        Assert.All(runs, run => Assert.Equal("oscore:04", $"{CoapPeerId.Of(run.Identity)}"));
    }

    [Fact]
    public void An_identity_without_a_text_is_equal_only_to_itself()
    {
        using OscoreParameters parameters = new(new byte[16], [1], [4]);
        OscoreIdentity one = (OscoreIdentity)OscoreContext.CreateVolatile(parameters, new object()).Identity;
        OscoreIdentity other = (OscoreIdentity)OscoreContext.CreateVolatile(parameters, new object()).Identity;

        Assert.True(one.Equals(one));
        Assert.False(one.Equals(other));
        Assert.False(one.Equals(null));
    }

    private static CoapPeerId? IdOf(string kid, object? owner, string? idContext = null)
    {
        using OscoreParameters parameters = new(new byte[16], [1], Convert.FromHexString(kid))
        {
            IdContext = idContext is null ? null : Convert.FromHexString(idContext),
        };
        return ((OscoreIdentity)OscoreContext.CreateVolatile(parameters, owner).Identity).Id;
    }
}
