using CoAP.NET.Cluster;
using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub.Serving;

/// <summary>The table's side of a broker. Called under the locks of the table.</summary>
internal sealed class TableRules(TopicIndex index, BrokerReactions reactions) : ICoapTableRules
{
    public CoapTableDecision Decide(CoapTableQuestion question) => TopicRules.Decide(question);

    public void OnChanged(CoapTableChange change)
    {
        index.OnChanged(change);
        reactions.Want();
    }
}
