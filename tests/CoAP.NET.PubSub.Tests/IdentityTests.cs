namespace CoAP.NET.PubSub.Tests;

/// <summary>Topics belong to identities that real handshakes and contexts have shown, over sockets of loopback.</summary>
public sealed class IdentityTests
{
    [Theory]
    [InlineData("psk")]
    [InlineData("certificate")]
    [InlineData("key")]
    [InlineData("oscore")]
    public async Task Another_identity_cannot_change_a_topic_and_its_owner_can_from_a_new_address(string kind)
    {
        await using CoapPubSubBroker broker = new();
        await using SecuredPeers? peers = await SecuredPeers.TryStartAsync(kind, server => server.MapPubSub("/ps", broker));
        if (peers is null)
        {
            return;
        }

        CoapClient alice = peers.MakeClient("alice", 1);
        CoapPubSubClient mallory = new(peers.MakeClient("mallory", 1), peers.Uri + "/ps");
        CoapTopic topic = await new CoapPubSubClient(alice, peers.Uri + "/ps").CreateAsync(new CoapTopicProperties("mine"));
        await topic.PublishAsync(CoapContent.Text("1"));
        CoapTopic stolen = mallory.At(topic.Uri);
        foreach (Func<Task> attempt in new Func<Task>[]
        {
            () => stolen.ChangeAsync(new CoapTopicProperties { TopicType = "mine now" }),
            () => stolen.ReplaceAsync(new CoapTopicProperties()),
            () => stolen.DeleteDataAsync(),
            () => stolen.DeleteAsync(),
        })
        {
            Assert.Equal(CoapCode.Forbidden, (await Assert.ThrowsAsync<CoapResponseException>(attempt)).Response.Code);
        }

        CoapResponseException taken = await Assert.ThrowsAsync<CoapResponseException>(
            () => mallory.CreateAsync(new CoapTopicProperties("mine")));
        Assert.Equal(CoapCode.BadRequest, taken.Response.Code);
        await alice.DisposeAsync();
        CoapTopic moved = new CoapPubSubClient(peers.MakeClient("alice", 2), peers.Uri + "/ps").At(topic.Uri);
        Assert.Equal("still mine", (await moved.ChangeAsync(new CoapTopicProperties { TopicType = "still mine" })).TopicType);
        Assert.True(await moved.DeleteAsync());
        Assert.Equal(4, broker.GetCounters().Forbidden);
    }
}
