namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Several threads at one session: it ends once, and is found where it is.</summary>
public sealed class ConcurrencyTests
{
    private const int Rounds = 200;
    private const int Threads = 4;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_session_ends_exactly_once_when_several_threads_end_it(bool withCid)
    {
        using SessionRig rig = new(new DtlsServerLimits { MaxForgeries = 3 });
        for (int host = 1; host <= Rounds; host++)
        {
            (DtlsSession session, RecordLayer client) = rig.Open(host, withCid);
            DtlsPath path = ServerBench.Path(host);
            byte[] forged = SessionRig.Record(client, [1, 2, 3]);
            forged[^1] ^= 1;
            byte[] close = SessionRig.Record(client, [1, 0], ContentType.Alert);
            session.SkipTo(session.Suite.MaxRecords - 17);
            Parallel.For(0, 4 * Threads, actor =>
            {
                switch (actor % 4)
                {
                    case 0:
                        for (int i = 0; i < 8; i++)
                        {
                            rig.Server.Receive(path, [.. forged]);
                        }

                        break;
                    case 1:
                        rig.Server.Receive(path, [.. close]);
                        break;
                    case 2:
                        session.Send([1]);
                        session.Send([2]);
                        break;
                    default:
                        rig.Server.End(session, DtlsSessionEndReason.Closed, tells: true);
                        break;
                }
            });
            Assert.True(session.IsClosed);
            Assert.Equal(0, rig.Server.SessionCount);
            Assert.Null(rig.Server.Find(path));
        }

        Assert.Equal(Rounds, rig.Closed.Count);
        Assert.Equal(Rounds, Enum.GetValues<DtlsSessionEndReason>().Sum(rig.Server.Counters.SessionsEnded));
    }

    [Fact]
    public void A_session_moved_by_several_threads_is_found_at_its_current_address()
    {
        const int Records = 40;
        using SessionRig rig = new();
        for (int round = 0; round < Rounds; round++)
        {
            int first = 10_000 + (round * (Threads + 1));
            (DtlsSession session, RecordLayer client) = rig.Open(first);
            (int Address, byte[] Bytes)[] records = [
                .. Enumerable.Range(0, Records).Select(i => (1 + (i % Threads), SessionRig.Record(client, [1])))];
            Parallel.For(0, Records, i => rig.Server.Receive(ServerBench.Path(first + records[i].Address), records[i].Bytes));
            for (int address = 0; address <= Threads; address++)
            {
                DtlsPath path = ServerBench.Path(first + address);
                Assert.Same(path == session.Path ? session : null, rig.Server.Find(path));
            }

            // The newest came from the last address, in whichever order the threads were.
            Assert.Equal(ServerBench.Path(first + records[^1].Address), session.Path);
            rig.Server.End(session, DtlsSessionEndReason.Closed, tells: false);
            Assert.Null(rig.Server.Find(session.Path));
        }

        Assert.Equal(Rounds * Records, rig.Received);
        Assert.Equal(rig.Moves.Count, rig.Server.Counters.AddressChanges);
        Assert.Equal(0, rig.Server.SessionCount);
    }

    [Fact]
    public void A_late_report_of_an_address_change_has_no_effect()
    {
        using SessionRig rig = new();
        (DtlsSession session, RecordLayer client) = rig.Open(1);
        rig.Server.Receive(ServerBench.Path(2), SessionRig.Record(client, [1]));
        rig.Server.Receive(ServerBench.Path(3), SessionRig.Record(client, [1]));
        ((IDtlsSessionOwner)rig.Server).OnMoved(session, ServerBench.Path(1), ServerBench.Path(2));
        Assert.Null(rig.Server.Find(ServerBench.Path(2)));
        Assert.Same(session, rig.Server.Find(ServerBench.Path(3)));
        rig.Server.End(session, DtlsSessionEndReason.Closed, tells: false);
        ((IDtlsSessionOwner)rig.Server).OnMoved(session, ServerBench.Path(1), ServerBench.Path(2));
        Assert.Null(rig.Server.Find(ServerBench.Path(2)));
        Assert.Null(rig.Server.Find(ServerBench.Path(3)));
    }

    [Fact]
    public void Sessions_are_found_by_Connection_ID_while_they_exchange_addresses_and_others_end()
    {
        const int Sessions = 16;
        const int Records = 32;
        using SessionRig rig = new();
        for (int round = 0; round < 20; round++)
        {
            (DtlsSession Session, RecordLayer Client)[] all = [.. Enumerable.Range(0, Sessions).Select(i => rig.Open(i, identity: $"{i}"))];
            byte[][][] records = [
                .. all.Select(one => Enumerable.Range(0, Records).Select(_ => SessionRig.Record(one.Client, [1])).ToArray())];
            Parallel.For(0, Sessions * Records, i =>
            {
                int which = i % Sessions;
                rig.Server.Receive(ServerBench.Path((which * i) % 5), records[which][i / Sessions]);
                if (which % 4 == 0 && i / Sessions == Records / 2)
                {
                    rig.Server.End(all[which].Session, DtlsSessionEndReason.Closed, tells: false);
                }
            });
            Assert.Equal(Sessions - (Sessions / 4), rig.Server.SessionCount);
            long before = rig.Received;
            for (int i = 0; i < Sessions; i++)
            {
                Assert.Equal(i % 4 != 0, rig.Server.Receive(ServerBench.Path(100 + i), SessionRig.Record(all[i].Client, [1])));
                Assert.Same(i % 4 != 0 ? all[i].Session : null, rig.Server.Find(ServerBench.Path(100 + i)));
            }

            Assert.Equal(Sessions - (Sessions / 4), rig.Received - before);
            for (int address = 0; address < 5; address++)
            {
                Assert.Null(rig.Server.Find(ServerBench.Path(address)));
            }

            foreach ((DtlsSession session, _) in all)
            {
                rig.Server.End(session, DtlsSessionEndReason.Closed, tells: false);
            }

            Assert.Equal(0, rig.Server.SessionCount);
        }
    }
}
